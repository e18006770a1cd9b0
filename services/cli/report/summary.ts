import { z } from 'zod';
import { runConfig, stepRecord } from '#protocol/run';
import { task } from '#protocol/workspace';
import { type Evaluation, familiesOf, heldOutOf } from './held-out.ts';
import { type RunData, wallSecondsOf } from './run-data.ts';

/** Means over the scored and invalid episodes of an evaluation; null: there was none. */
const evaluation = z
  .strictObject({
    reward: z.number(),
    /** What training added, as a share of what could be added. */
    uplift: z.number(),
    /** The 90 % interval of the mean uplift. */
    low: z.number(),
    high: z.number(),
    /** The 90 % interval of the mean reward. */
    rewardLow: z.number(),
    rewardHigh: z.number(),
    episodes: z.int(),
  })
  .nullable();

/**
 * `summary.json`: what a run came to, for programs. Keys stay as they are; more may be added. Rewards, their parts and
 * uplifts are 0 to 1.
 */
export const summary = z.strictObject({
  run: z.string(),
  seed: runConfig.shape.seed,
  runtime: task.shape.runtime,
  mind: runConfig.shape.mind,
  /** From the start of the run to its end, or until now. */
  wallSeconds: z.number().nonnegative(),
  /** From the start of the run; null: no episode was scored. */
  secondsToFirstScore: z.number().nullable(),
  /** Each optimizer step of the policy: means over its scored and invalid episodes; seconds since the step before. */
  steps: z.array(stepRecord),
  /** Over the families that are not trained on, before the first step and after the last. */
  heldOut: z.strictObject({ before: evaluation, after: evaluation }),
  /** Mean uplift of each family, in the first and the last quarter of the run; held out: by the two evaluations. */
  families: z.array(
    z.strictObject({
      family: z.string(),
      heldOut: z.boolean(),
      before: z.number().nullable(),
      after: z.number().nullable(),
    }),
  ),
  outcomes: z.strictObject({ scored: z.int(), invalid: z.int(), failed: z.int() }),
  pods: z.strictObject({
    /** At once. */
    max: z.int(),
    /** The share of their time in which pods trained; null: there were none. */
    usefulShare: z.number().nullable(),
    /** How long pods existed, and how much of that they trained. */
    podSeconds: z.number(),
    usefulSeconds: z.number(),
  }),
  cost: z.strictObject({ usd: z.number() }),
  /** Number of processes that were restarted. */
  restarts: z.int().nonnegative(),
  phase: z.string(),
  /** Why no new episode begins; null: episodes still begin. */
  over: z.enum(['done', 'stopped', 'budget', 'failed']).nullable(),
});
export type Summary = z.infer<typeof summary>;

export function summaryOf(data: RunData): Summary {
  const { run, record, pods, restarts } = data;
  const { before, after } = heldOutOf(data);
  return {
    run,
    seed: record.config.seed,
    // the only one there is
    runtime: 'micro',
    mind: record.config.mind,
    wallSeconds: wallSecondsOf(data),
    secondsToFirstScore: secondsToFirstScore(data),
    steps: [...record.steps],
    heldOut: { before: evaluationOf(before), after: evaluationOf(after) },
    families: familiesOf(data).map(({ episodes, ...family }) => family),
    outcomes: record.outcomes,
    pods: {
      max: pods?.most ?? 0,
      usefulShare: usefulShareOf(data),
      podSeconds: pods?.podSeconds ?? 0,
      usefulSeconds: pods?.usefulSeconds ?? 0,
    },
    cost: { usd: record.costUsd },
    restarts,
    phase: record.phase,
    over: record.over,
  };
}

function evaluationOf(taken: Evaluation | null): Summary['heldOut']['before'] {
  if (!taken) return null;
  const { reward, uplift } = taken;
  return {
    reward: reward.mean,
    uplift: uplift.mean,
    low: uplift.low,
    high: uplift.high,
    rewardLow: reward.low,
    rewardHigh: reward.high,
    episodes: reward.count,
  };
}

function secondsToFirstScore({ verdicts, record }: RunData): number | null {
  const ends = verdicts.filter(({ outcome }) => outcome === 'scored').map(({ endedAt }) => endedAt);
  return ends.length === 0 ? null : (ends.reduce((first, end) => Math.min(first, end)) - record.startedAt) / 1000;
}

export const usefulShareOf = ({ pods }: RunData): number | null =>
  pods && pods.podSeconds > 0 ? Math.min(1, pods.usefulSeconds / pods.podSeconds) : null;
