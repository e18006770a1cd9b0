import { createHash } from 'node:crypto';
import { Failed } from '#kit/boundary';
import type { Spec } from '#protocol/run';
import { stream } from './draw.ts';
import { families } from './families.ts';
import type { Family, Parameters } from './family.ts';

/** A spec as everybody may know it, and what only the evaluator makes of it. */
export interface Known {
  readonly spec: Spec;
  readonly family: Family;
  readonly parameters: Parameters;
}

/** Specs of one family. */
const count = { training: 6, 'held-out': 4, impossible: 2 } as const satisfies Record<Family['use'], number>;

/** Of one episode. Each is a look at the probe items, of which too many looks would tell the answers. */
const mostExperiments = 4;

/** Names the spec without telling its family: who reads it has to read the text. */
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

/** The same specs in every process and every release that has the same families. No secret goes into them. */
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
 * How long a good training takes at most, seconds: that of 60 steps takes 4 to 8 on one core that others use too.
 * Whoever takes longer has no part for speed.
 */
export const referenceSecondsOf = ({ spec }: Known): number => 0.2 * spec.limits.steps;
