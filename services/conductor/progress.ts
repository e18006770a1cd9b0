import type { BodyOf } from '#protocol/message';
import type { mindTold } from '#protocol/mind';
import { learnsFrom, type RunConfig, type RunRecord, runLife, type Spec } from '#protocol/run';
import type { EpisodeEnded } from '#protocol/verdict';
import { evaluationWith, isMeasured, underWay } from './curriculum.ts';
import type { Group, RunState } from './state.ts';
import { count, evaluationOf, nothing, recordOf } from './tally.ts';

// The progress of a run. Every function advances it, or returns it unchanged.

export const begun = (config: RunConfig, now: number): RunState => ({
  phase: runLife.step('new', 'preparing'),
  config,
  startedAt: now,
  endedAt: null,
  specs: [],
  hasMind: false,
  policy: null,
  admitted: 0,
  groups: [],
  open: [],
  staleness: {},
  steps: [],
  stepBeganAt: now,
  evaluations: [],
  outcomes: { scored: 0, invalid: 0, failed: 0 },
  podSeconds: 0,
  over: null,
  failure: null,
  version: 0,
});

/** What can be tried. A trial of a family that is not there fails the run. */
export function offered(run: RunState, specs: readonly Spec[]): RunState {
  const { trial } = run.config;
  const families = [...new Set(specs.map(({ family }) => family))];
  if (trial === null || families.includes(trial)) return { ...run, specs: [...specs] };
  const detail = `there is no family "${trial}": there are ${families.join(', ')}`;
  return { ...run, over: 'failed', failure: { code: 'run/unknown-family', detail } };
}

/** The mind answers; but if the trainer cannot learn from it, the run fails before anything is paid for. */
export function answered(
  run: RunState,
  { learnable, why }: Pick<BodyOf<typeof mindTold>, 'learnable' | 'why'>,
): RunState {
  const { mind, trainer } = run.config;
  const needs = learnsFrom[trainer];
  if (needs === 'nothing' || needs === learnable) return { ...run, hasMind: true };
  const gives = learnable === 'nothing' ? `nothing can be learned: ${why}` : `its ${learnable} can be learned from`;
  const detail =
    `trainer "${trainer}" learns from ${needs}, but of mind "${mind}" ${gives}. ` +
    'With trainer = "none" the run measures its episodes, and learns nothing';
  return { ...run, over: 'failed', failure: { code: 'run/untrainable', detail } };
}

/** An episode of a group that is under way has ended. */
export function counted(run: RunState, group: Group, ended: EpisodeEnded): RunState {
  const left = group.left.filter((episode) => episode !== ended.episode);
  const groups = run.groups.flatMap((one) => (one !== group ? [one] : left.length > 0 ? [{ ...one, left }] : []));
  const outcomes = { ...run.outcomes, [ended.outcome]: run.outcomes[ended.outcome] + 1 };
  const next = { ...run, groups, outcomes, podSeconds: run.podSeconds + ended.podSeconds };
  return group.step === null ? countedInEvaluation(next, group, ended) : countedInStep(next, group.step, ended);
}

function countedInStep(run: RunState, step: number, ended: EpisodeEnded): RunState {
  const at = step - run.steps.length;
  const open = Array.from({ length: Math.max(run.open.length, at + 1) }, (_, n) => run.open[n] ?? nothing);
  return { ...run, open: open.map((tally, n) => (n === at ? count(tally, ended) : tally)) };
}

function countedInEvaluation(run: RunState, group: Group, ended: EpisodeEnded): RunState {
  const isCanary = run.specs.find(({ id }) => id === group.spec)?.use === 'impossible';
  if (isCanary && run.config.trial === null) return run;
  const evaluations = run.evaluations.map((one) =>
    one.policy.version === group.policy ? { ...one, tally: count(one.tally, ended) } : one,
  );
  return { ...run, evaluations };
}

export function admit(run: RunState, group: Group): RunState {
  const groups = [...run.groups, group];
  if (group.step !== null) return { ...run, groups, admitted: run.admitted + 1 };
  const evaluations = run.evaluations.map((one) => ({
    ...one,
    waiting: one.waiting.filter((waiting) => waiting.group !== group.group),
  }));
  return { ...run, groups, evaluations };
}

/** Begins the training once the run has specs, a mind and a policy. */
export function prepared(run: RunState): RunState {
  if (run.phase !== 'preparing' || run.specs.length === 0 || !run.hasMind || !run.policy) return run;
  return measure({ ...run, phase: runLife.step(run.phase, 'training') }, run.policy);
}

type Policy = NonNullable<RunState['policy']>;

export const isKnown = ({ staleness, steps }: RunState, version: number): boolean =>
  version in staleness || (version > 0 && version <= steps.length);

/** Keeps the greatest version. Each version is evaluated and closes its step, in whatever order they arrive. */
export function published(run: RunState, policy: Policy, stalenessMax: number): RunState {
  const newest = policy.version > (run.policy?.version ?? -1) ? policy : run.policy;
  const next = { ...run, policy: newest, staleness: { ...run.staleness, [policy.version]: stalenessMax } };
  return run.phase === 'preparing' ? next : measure(next, policy);
}

function measure(run: RunState, policy: Policy): RunState {
  if (!isMeasured(run.config, policy.version)) return run;
  return { ...run, evaluations: [...run.evaluations, evaluationWith(run, policy)] };
}

/** Closes a step once its policy exists and all its episodes are counted, in whichever order that happens. */
export function close(run: RunState, now: number): RunState {
  const step = run.steps.length;
  const [tally = nothing, ...open] = run.open;
  const { [step + 1]: stalenessMax, ...staleness } = run.staleness;
  const counted = tally.episodes + tally.failed;
  if (stalenessMax === undefined || counted < run.config.groupsPerStep * run.config.groupSize) return run;
  const record = recordOf(tally, { step, stalenessMax, seconds: (now - run.stepBeganAt) / 1000 });
  return close({ ...run, steps: [...run.steps, record], open, staleness, stepBeganAt: now }, now);
}

const costOf = ({ podSeconds, config }: RunState): number => (podSeconds / 3600) * config.podUsdPerHour;

export function finish(run: RunState, now: number): RunState {
  if (runLife.ended(run.phase)) return run;
  const { budgetUsd, steps } = run.config;
  let next = run;
  if (next.over === null && budgetUsd !== null && costOf(next) >= budgetUsd) next = { ...next, over: 'budget' };
  if (next.phase === 'training' && next.steps.length === steps)
    next = { ...next, phase: runLife.step(next.phase, 'measuring'), over: next.over ?? 'done' };
  const waits = next.over === 'done' && next.evaluations.some(({ waiting }) => waiting.length > 0);
  if (next.over === null || waits || underWay(next) > 0) return next;
  return { ...next, phase: runLife.step(next.phase, 'ended'), endedAt: now };
}

export const recordOfRun = (run: RunState): RunRecord => ({
  phase: run.phase,
  config: run.config,
  startedAt: run.startedAt,
  endedAt: run.endedAt,
  policyVersion: run.policy?.version ?? 0,
  steps: run.steps,
  evaluations: run.evaluations.map(evaluationOf),
  outcomes: run.outcomes,
  underWay: underWay(run),
  costUsd: costOf(run),
  over: run.over,
  failure: run.failure,
  version: run.version,
});
