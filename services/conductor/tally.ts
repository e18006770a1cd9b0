import type { EvaluationRecord, StepRecord } from '#protocol/run';
import type { EpisodeEnded } from '#protocol/verdict';
import type { Evaluation, Tally } from './state.ts';

export const nothing: Tally = {
  reward: 0,
  validity: 0,
  quality: 0,
  uplift: 0,
  speed: 0,
  episodes: 0,
  failed: 0,
  jobs: 0,
};

/** A failed episode is counted, but is part of no mean: a missing verdict is not a zero. */
export function count(tally: Tally, { reward, parts, jobs }: EpisodeEnded): Tally {
  if (reward === null) return { ...tally, failed: tally.failed + 1, jobs: tally.jobs + jobs };
  return {
    reward: tally.reward + reward,
    validity: tally.validity + (parts?.validity ?? 0),
    quality: tally.quality + (parts?.quality ?? 0),
    uplift: tally.uplift + (parts?.uplift ?? 0),
    speed: tally.speed + (parts?.speed ?? 0),
    episodes: tally.episodes + 1,
    failed: tally.failed,
    jobs: tally.jobs + jobs,
  };
}

/** Means from the sums; 0 if nothing was counted. */
function means({ episodes, failed, jobs, ...sums }: Tally) {
  const mean = (sum: number): number => (episodes === 0 ? 0 : sum / episodes);
  return {
    reward: mean(sums.reward),
    validity: mean(sums.validity),
    quality: mean(sums.quality),
    uplift: mean(sums.uplift),
    speed: mean(sums.speed),
    episodes,
    failed,
    jobs,
  };
}

interface Closing {
  readonly step: number;
  readonly stalenessMax: number;
  readonly seconds: number;
}
export const recordOf = (tally: Tally, { step, stalenessMax, seconds }: Closing): StepRecord => ({
  ...means(tally),
  step,
  policyVersion: step + 1,
  stalenessMax,
  seconds,
});

export const evaluationOf = ({ policy, wanted, tally }: Evaluation): EvaluationRecord => ({
  ...means(tally),
  policyVersion: policy.version,
  wanted,
});
