import { createHash } from 'node:crypto';
import { type Choice, type Option, type PolicyWeights, probabilities } from '#protocol/transcript';

/** Chooses with a policy and writes down what is needed to learn from it. */
export class Chooser {
  readonly choices: Choice[] = [];
  readonly #weights: PolicyWeights;
  readonly #name: readonly (string | number)[];

  /** All chance comes from `name` and the point of a choice: the same move again is the same. */
  constructor(weights: PolicyWeights, name: readonly (string | number)[]) {
    this.#weights = weights;
    this.#name = name;
  }

  choose(point: string, options: Option[]): string {
    const shares = probabilities(this.#weights, options);
    let left = unit([...this.#name, point]);
    // rounding may leave something of 1 at the end: then it is the last one
    const at = shares.findIndex((share) => {
      left -= share;
      return left < 0;
    });
    const chosen = at < 0 ? options.length - 1 : at;
    this.choices.push({ point, options, chosen, logprob: Math.log(shares[chosen] ?? 1) });
    return options[chosen]?.name ?? '';
  }
}

/** A number in [0, 1) by its name. */
function unit(name: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(JSON.stringify(name)).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}
