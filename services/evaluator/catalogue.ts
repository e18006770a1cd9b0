import { createHash } from 'node:crypto';
import { Failed } from '#kit/boundary';
import type { Spec } from '#protocol/run';
import { stream } from './draw.ts';
import { families } from './families.ts';
import type { Family, Parameters } from './family.ts';

/** A spec as everybody may know it, and what only the evaluator knows of it. */
export interface Known {
  readonly spec: Spec;
  readonly family: Family;
  readonly parameters: Parameters;
}

/** Number of specs per family. */
const count = { training: 6, 'held-out': 4, impossible: 2 } as const satisfies Record<Family['use'], number>;

/**
 * Most experiments of one episode: each is a look at the probe items, and too many looks would reveal their answers.
 */
const mostExperiments = 4;

/** An id that does not reveal the family: the agent has to read the text. */
const idOf = (...parts: readonly unknown[]): string =>
  `s${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 11)}`;

function draw(family: Family, n: number): Known {
  const { text, parameters, limits } = family.spec(stream('catalogue', family.name, String(n)));
  const { steps, seconds, baseModels } = limits;
  const spec: Spec = {
    id: idOf(family.name, parameters, text),
    family: family.name,
    use: family.use,
    text,
    limits: { steps, seconds, baseModels: [...baseModels], experiments: mostExperiments },
  };
  return { spec, family, parameters };
}

/** The same specs in every process and every release with the same families. They do not depend on the secret. */
export const catalogue: ReadonlyMap<string, Known> = new Map(
  families
    .flatMap((family) => Array.from({ length: count[family.use] }, (_, n) => draw(family, n)))
    .map((known) => [known.spec.id, known]),
);

export function knownSpec(id: string): Known {
  const known = catalogue.get(id);
  if (!known)
    throw new Failed('evaluator/unknown-spec', `no spec is named "${id}": the catalogue has ${catalogue.size}`);
  return known;
}

/**
 * The longest time that a good training takes, seconds: 60 steps take 4 to 8 s on a shared core. A longer training has
 * a speed of 0.
 */
export const referenceSecondsOf = ({ spec }: Known): number => 0.2 * spec.limits.steps;
