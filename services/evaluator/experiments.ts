import type { Turn } from '#kit/actor';
import { type Episode, episodeLife, episodeOf } from '#protocol/episode';
import { type experimentChecked, experimentLife, experimentTold } from '#protocol/experiment';
import type { Failure } from '#protocol/failure';
import { jobCancel, jobSubmit } from '#protocol/job';
import type { BodyOf } from '#protocol/message';
import type { TrainingStep } from '#protocol/training';
import type { ExperimentResult } from '#protocol/transcript';
import type { State } from './state.ts';

/**
 * The experiments of an episode: jobs whose agent is told how they went. They have numbers, which bound them, and each
 * is run and told once. They cost what they cost, and decide nothing: not the validity, and not how the episode ends.
 */
type Known = State['experiments'][number];

const nameOf = ({ episode }: Episode, experiment: number): string => `${episode}-x${experiment}`;

const known = ({ experiments }: State, experiment: number): Known =>
  experiments.find((one) => one.experiment === experiment) ?? { experiment, phase: 'asked', seconds: 0 };

const make = (state: State, made: Known): State => ({
  ...state,
  experiments: [...state.experiments.filter(({ experiment }) => experiment !== made.experiment), made],
});

/** A valid one becomes a job, unless a submission has ended the search for one. */
export function begin(state: State, checked: BodyOf<typeof experimentChecked>, turn: Turn): State {
  const { experiment, workspace, job } = checked;
  const before = known(state, experiment);
  if (state.phase !== 'open' || before.phase !== 'asked') return state;
  turn.send(jobSubmit, { ...episodeOf(checked), job: nameOf(checked, experiment), experiment, workspace, ...job });
  return make(state, { ...before, phase: experimentLife.step(before.phase, 'running') });
}

/** What is known of it first is told, whoever knows more later. */
export function conclude(state: State, { of, result }: { of: Episode; result: ExperimentResult }, turn: Turn): State {
  const before = known(state, result.experiment);
  if (episodeLife.ended(state.phase) || experimentLife.ended(before.phase)) return state;
  turn.send(experimentTold, { ...episodeOf(of), result });
  const phase = experimentLife.step(before.phase, before.phase === 'running' ? 'ended' : 'refused');
  return make(state, { ...before, phase, seconds: 'seconds' in result ? result.seconds : 0 });
}

/** Nobody waits for those that are under way. */
export function abandon({ experiments }: State, of: Episode, turn: Turn): void {
  for (const { experiment, phase } of experiments)
    if (phase === 'running') turn.send(jobCancel, { run: of.run, job: nameOf(of, experiment) });
}

/** Trainings, and the seconds in which they held a pod. */
export const costOf = ({ experiments }: State): { jobs: number; podSeconds: number } => ({
  jobs: experiments.filter(({ phase }) => phase !== 'refused').length,
  podSeconds: experiments.reduce((sum, { seconds }) => sum + seconds, 0),
});

interface OfTraining {
  readonly curve: readonly TrainingStep[];
  readonly seconds: number;
}
const untrained: OfTraining = { curve: [], seconds: 0 };

/** A curve has this many steps at most when it is told. */
const mostSteps = 20;

function thinned(curve: readonly TrainingStep[]): TrainingStep[] {
  if (curve.length <= mostSteps) return [...curve];
  const apart = (curve.length - 1) / (mostSteps - 1);
  return Array.from({ length: mostSteps }).flatMap((_, n) => curve[Math.round(n * apart)] ?? []);
}

/** It could not be done, by its own fault or not. */
export const failedBy = (failure: Failure, experiment: number, { curve, seconds } = untrained): ExperimentResult => ({
  outcome: 'failed',
  experiment,
  curve: thinned(curve),
  seconds,
  failure,
});

/** Its model has answered the probe items. */
export const measured = (
  scores: readonly number[],
  experiment: number,
  { curve, seconds }: OfTraining,
): ExperimentResult => ({
  outcome: 'trained',
  experiment,
  curve: thinned(curve),
  seconds,
  score: scores.reduce((sum, score) => sum + score, 0) / scores.length,
  items: scores.length,
});
