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
 * The experiments of an episode: jobs whose results are told to the agent. They are numbered, which limits how many
 * there are, and each is run and told once. Their cost counts; they affect neither the validity nor how the episode
 * ends.
 */
type Experiment = State['experiments'][number];

const nameOf = ({ episode }: Episode, experiment: number): string => `${episode}-x${experiment}`;

const known = ({ experiments }: State, experiment: number): Experiment =>
  experiments.find((one) => one.experiment === experiment) ?? { experiment, phase: 'asked', seconds: 0 };

const make = (state: State, made: Experiment): State => ({
  ...state,
  experiments: [...state.experiments.filter(({ experiment }) => experiment !== made.experiment), made],
});

/** A valid experiment becomes a job, unless a submission has been accepted already. */
export function begin(state: State, checked: BodyOf<typeof experimentChecked>, turn: Turn): State {
  const { experiment, workspace, job } = checked;
  const before = known(state, experiment);
  if (state.phase !== 'open' || before.phase !== 'asked') return state;
  turn.send(jobSubmit, { ...episodeOf(checked), job: nameOf(checked, experiment), experiment, workspace, ...job });
  return make(state, { ...before, phase: experimentLife.step(before.phase, 'running') });
}

/** Tells the first result of an experiment; later ones are ignored. */
export function conclude(state: State, { of, result }: { of: Episode; result: ExperimentResult }, turn: Turn): State {
  const before = known(state, result.experiment);
  if (episodeLife.ended(state.phase) || experimentLife.ended(before.phase)) return state;
  turn.send(experimentTold, { ...episodeOf(of), result });
  const phase = experimentLife.step(before.phase, before.phase === 'running' ? 'ended' : 'refused');
  return make(state, { ...before, phase, seconds: 'seconds' in result ? result.seconds : 0 });
}

/** Cancels the experiments that are running. */
export function abandon({ experiments }: State, of: Episode, turn: Turn): void {
  for (const { experiment, phase } of experiments)
    if (phase === 'running') turn.send(jobCancel, { run: of.run, job: nameOf(of, experiment) });
}

/** Number of trainings, and how long they held a pod. */
export const costOf = ({ experiments }: State): { jobs: number; podSeconds: number } => ({
  jobs: experiments.filter(({ phase }) => phase !== 'refused').length,
  podSeconds: experiments.reduce((sum, { seconds }) => sum + seconds, 0),
});

interface OfTraining {
  readonly curve: readonly TrainingStep[];
  readonly seconds: number;
}
const untrained: OfTraining = { curve: [], seconds: 0 };

/** Most steps of a training curve that is told to an agent. */
const mostSteps = 20;

function thinned(curve: readonly TrainingStep[]): TrainingStep[] {
  if (curve.length <= mostSteps) return [...curve];
  const apart = (curve.length - 1) / (mostSteps - 1);
  return Array.from({ length: mostSteps }).flatMap((_, n) => curve[Math.round(n * apart)] ?? []);
}

/** The result of an experiment that failed, by its own fault or not. */
export const failedBy = (failure: Failure, experiment: number, { curve, seconds } = untrained): ExperimentResult => ({
  outcome: 'failed',
  experiment,
  curve: thinned(curve),
  seconds,
  failure,
});

/** The result of an experiment whose model has answered the probe items. */
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
