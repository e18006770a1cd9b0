import { z } from 'zod';
import { episode } from './episode.ts';
import { failure } from './failure.ts';
import { finding } from './finding.ts';
import { act, blobHash, event, token } from './message.ts';
import { spec } from './run.ts';
import { stepOfTraining } from './training.ts';
import { value } from './value.ts';

/** What a reward is made of. */
const parts = z.strictObject({
  validity: z.number(),
  quality: z.number(),
  speed: z.number(),
  /** Shares of the hidden items that are right, by the best base model allowed and by the trained one. */
  before: z.number(),
  after: z.number(),
  /** What training added, as a share of what could be added, with its 90 % interval. */
  uplift: z.number(),
  low: z.number(),
  high: z.number(),
  /** The uplift that the formula counts. */
  counted: z.number(),
  items: z.int(),
  baseModel: z.string().nullable(),
});

const outcome = z.enum(['scored', 'invalid', 'failed']);
const ending = {
  family: token,
  outcome,
  /** null: it failed, which says nothing about the policy. */
  reward: z.number().nullable(),
  parts: parts.nullable(),
  failure: failure.nullable(),
  transcript: blobHash.nullable(),
  /** Trainings that were run. */
  jobs: z.int().nonnegative(),
  /** In which a pod was held. */
  podSeconds: z.number().nonnegative(),
};
/** evaluator → learner, conductor, agent: how it ended, once */
export const episodeEnded = event('episode-ended', {
  from: ['evaluator'],
  to: { learner: '{run}.main', conductor: '{run}.main', agent: '{run}.{episode}' },
  body: { ...episode, ...ending },
});
export type EpisodeEnded = z.infer<typeof episodeEnded.body>;

/** All that may be known of an episode that has ended. */
export const verdict = value('verdict', {
  writer: 'evaluator',
  readers: ['operator', 'viewer'],
  body: {
    ...episode,
    ...ending,
    use: spec.shape.use,
    text: z.string(),
    workspace: blobHash.nullable(),
    findings: z.array(finding),
    /** Submissions that were found invalid. */
    invalid: z.int(),
    pod: token.nullable(),
    baseModel: token.nullable(),
    weights: blobHash.nullable(),
    /** What the job did wrong while it was trained; null: nothing, or it was not trained. */
    fault: failure.nullable(),
    /** Of the training alone. */
    seconds: z.number().nullable(),
    curve: z.array(stepOfTraining),
    endedAt: z.number(),
  },
});
export type Verdict = z.infer<typeof verdict.body>;

/** What base models get on the hidden items of a spec, pinned with what it was measured with. */
export const baseline = value('baseline', {
  writer: 'evaluator',
  readers: ['agent', 'operator', 'viewer'],
  body: {
    spec: token,
    /** Base model → score of each item, in the order of the items. */
    scores: z.record(z.string(), z.array(z.number())),
    /** Hash of what the scores depend on: runtime, weights, family, secret seed. */
    fingerprint: z.string(),
    measuredAt: z.number(),
  },
});
/** evaluator → evaluator */
export const baselineMeasured = event('baseline-measured', {
  from: ['evaluator'],
  to: { evaluator: 'baseline.{spec}' },
  body: { spec: token, scores: z.record(z.string(), z.array(z.number())), fingerprint: z.string() },
});

/** operator → evaluator, at its edge: measure all baselines, and pin them unless they are only to be checked */
export const baselinesWanted = act('baselines-wanted', {
  from: ['operator'],
  to: { evaluator: 'baselines.{request}' },
  body: { request: token, check: z.boolean() },
});
const compared = {
  request: token,
  baselines: z.array(
    z.strictObject({
      spec: token,
      family: token,
      model: token,
      /** Means over the items; null: nothing was pinned. */
      pinned: z.number().nullable(),
      measured: z.number(),
      /** Of the items, those that are worth something else than what is pinned. */
      drifted: z.int(),
    }),
  ),
  /** null: all were measured. */
  failure: failure.nullable(),
};
/** evaluator → evaluator */
export const baselinesCompared = event('baselines-compared', {
  from: ['evaluator'],
  to: { evaluator: 'baselines.{request}' },
  body: compared,
});
/** What came of a request to measure all baselines. */
export const comparison = value('comparison', {
  writer: 'evaluator',
  readers: ['operator', 'viewer'],
  body: compared,
});
export type Comparison = z.infer<typeof comparison.body>;
