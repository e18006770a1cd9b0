import type { Spec } from '#protocol/run';
import type { Evaluation, Group, RunState } from './state.ts';
import { nothing } from './tally.ts';

/** A group that may begin now. */
export interface Admission {
  readonly group: Group;
  readonly policy: { readonly version: number; readonly blob: string };
}

/**
 * The group that begins next, if one may: first those of an evaluation, which do not depend on a newer policy, then the
 * next one for training. Step n learns from the groups n · groupsPerStep to (n + 1) · groupsPerStep - 1, in that order.
 * A group is admitted when the newest policy is at most `maxStepsOffPolicy` updates behind the one that will learn from
 * it. So that bound always holds, and nothing that finished is thrown away.
 */
export function nextGroup(run: RunState): Admission | undefined {
  if (run.over !== null && run.over !== 'done') return undefined;
  return nextOfEvaluation(run) ?? nextForTraining(run);
}

export const underWay = ({ groups }: RunState): number => groups.reduce((sum, { left }) => sum + left.length, 0);

const hasRoom = (run: RunState, episodes: number): boolean => {
  const now = underWay(run);
  return now === 0 || now + episodes <= run.config.episodesAtOnce;
};

function nextOfEvaluation(run: RunState): Admission | undefined {
  for (const { policy, waiting } of run.evaluations) {
    const [first] = waiting;
    if (!first) continue;
    if (!hasRoom(run, first.episodes)) return undefined;
    const { group, spec, episodes } = first;
    const left = range(episodes).map((n) => `${group}-${n}`);
    return { group: { group, spec, step: null, policy: policy.version, left }, policy };
  }
  return undefined;
}

function nextForTraining(run: RunState): Admission | undefined {
  const { config, admitted, policy } = run;
  const step = stepOf(run);
  const spec = specOf(run, admitted);
  if (!policy || !spec || step >= config.steps || heldBy(run)) return undefined;
  const group = `g${admitted}`;
  const left = range(config.groupSize).map((n) => `${group}-${n}`);
  return { group: { group, spec: spec.id, step, policy: policy.version, left }, policy };
}

const stepOf = ({ admitted, config }: RunState): number => Math.floor(admitted / config.groupsPerStep);

/**
 * What the next group for training waits for: a newer policy (`staleness`), or the end of others (`room`); null:
 * neither.
 */
export function heldBy(run: RunState): 'staleness' | 'room' | null {
  const { config, policy } = run;
  const step = stepOf(run);
  if (!policy || step >= config.steps) return null;
  if (policy.version < step - config.maxStepsOffPolicy) return 'staleness';
  return hasRoom(run, config.groupSize) ? null : 'room';
}

/** Family by family, in an order that is shuffled for each round, so that each family is tried equally often. */
export function specOf({ specs, config }: Pick<RunState, 'specs' | 'config'>, index: number): Spec | undefined {
  const families = familiesOf(specs, 'training');
  const round = Math.floor(index / families.length);
  const of = shuffled(families, hash(config.seed, round))[index % families.length] ?? [];
  return of[hash(config.seed, index, 1) % of.length];
}

/**
 * The evaluation of a policy: `heldOutEpisodes` on each held-out family, and one on each impossible family; or the one
 * episode of a trial.
 */
export function evaluationWith({ specs, config }: RunState, policy: Evaluation['policy']): Evaluation {
  if (config.trial !== null) return { policy, ...trialOf(specs, config), tally: nothing };
  const held = familiesOf(specs, 'held-out');
  const canaries = familiesOf(specs, 'impossible').map(([first]) => ({ spec: first, episodes: 1 }));
  const measured = held.flatMap((of) =>
    of.map((spec, at) => ({ spec, episodes: share(config.heldOutEpisodes, { of: of.length, at }) })),
  );
  const waiting = [...measured, ...canaries].flatMap(({ spec, episodes }) =>
    spec && episodes > 0 ? [{ group: `v${policy.version}-${spec.id}`, spec: spec.id, episodes }] : [],
  );
  return { policy, waiting, wanted: held.length * config.heldOutEpisodes, tally: nothing };
}

function trialOf(specs: readonly Spec[], { trial, seed }: RunState['config']): Pick<Evaluation, 'waiting' | 'wanted'> {
  const of = specs.filter(({ family }) => family === trial);
  const spec = of[hash(seed, 2) % of.length];
  return { waiting: spec ? [{ group: 'trial', spec: spec.id, episodes: 1 }] : [], wanted: spec ? 1 : 0 };
}

/** The specs of a use, grouped by family. */
function familiesOf(specs: readonly Spec[], use: Spec['use']): Spec[][] {
  const of = specs.filter((one) => one.use === use);
  return [...new Set(of.map(({ family }) => family))].map((family) => of.filter((one) => one.family === family));
}

/** Whether a version is evaluated: before the first step, after the last, and every `heldOutEvery` in between. */
export function isMeasured(config: RunState['config'], version: number): boolean {
  const { steps, heldOutEvery, heldOutEpisodes, trial } = config;
  if (heldOutEpisodes === 0 && trial === null) return false;
  return version === 0 || version === steps || (heldOutEvery > 0 && version % heldOutEvery === 0);
}

const share = (all: number, { of, at }: { of: number; at: number }): number =>
  Math.floor(all / of) + (at < all % of ? 1 : 0);

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

function shuffled<T>(list: readonly T[], seed: number): T[] {
  return list
    .map((one, at) => ({ one, key: hash(seed, at) }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
}

/** A number from 0 to 2^31 - 1, from others: murmur3's finaliser over each. */
export function hash(...numbers: readonly number[]): number {
  let state = 0x9e3779b9;
  for (const number of numbers) {
    state = Math.imul(state ^ (number + 0x7f4a7c15), 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return (state >>> 0) % 2 ** 31;
}
