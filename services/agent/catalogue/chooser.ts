import { createHash } from 'node:crypto';
import { type Choice, type Option, type PolicyWeights, probabilities } from '#protocol/transcript';

/** Makes choices with a policy, and records what is needed to learn from them. */
export class Chooser {
  readonly choices: Choice[] = [];
  readonly #weights: PolicyWeights;
  readonly #name: readonly (string | number)[];

  /**
   * All randomness is derived from `name` and the point of a choice, so that repeating a move gives the same choices.
   */
  constructor(weights: PolicyWeights, name: readonly (string | number)[]) {
    this.#weights = weights;
    this.#name = name;
  }

  choose(point: string, options: Option[]): string {
    const shares = probabilities(this.#weights, options);
    let left = unit([...this.#name, point]);
    // rounding may leave a remainder after the last option: then the last one is chosen
    const at = shares.findIndex((share) => {
      left -= share;
      return left < 0;
    });
    const chosen = at < 0 ? options.length - 1 : at;
    this.choices.push({ point, options, chosen, logprob: Math.log(shares[chosen] ?? 1) });
    return options[chosen]?.name ?? '';
  }
}

/** A number in [0, 1), derived from a name. */
function unit(name: readonly (string | number)[]): number {
  const digest = createHash('sha256').update(JSON.stringify(name)).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}
