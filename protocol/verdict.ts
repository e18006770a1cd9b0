import { z } from 'zod';
import { episode } from './episode.ts';
import { failure } from './failure.ts';
import { finding } from './finding.ts';
import { act, blobHash, event, token } from './message.ts';
import { spec } from './run.ts';
import { trainingStep } from './training.ts';
import { value } from './value.ts';

/** What a reward is computed from; shares are 0 to 1. */
const parts = z.strictObject({
  validity: z.number(),
  quality: z.number(),
  speed: z.number(),
  /** Mean scores on the hidden items: of the best base model that is allowed, and of the trained model. */
  before: z.number(),
  after: z.number(),
  /** What training added, as a share of what could be added, with its 90 % interval. */
  uplift: z.number(),
  low: z.number(),
  high: z.number(),
  /** The uplift that the formula uses. */
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
  /** Number of trainings, experiments included. */
  jobs: z.int().nonnegative(),
  /** Time in which its trainings held a pod. */
  podSeconds: z.number().nonnegative(),
};
/** evaluator → learner, conductor, agent: how the episode ended, once */
export const episodeEnded = event('episode-ended', {
  from: ['evaluator'],
  to: { learner: '{run}.main', conductor: '{run}.main', agent: '{run}.{episode}' },
  body: { ...episode, ...ending },
});
export type EpisodeEnded = z.infer<typeof episodeEnded.body>;

/** Everything that people may know of an ended episode. */
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
    /** Number of invalid submissions. */
    invalid: z.int(),
    pod: token.nullable(),
    baseModel: token.nullable(),
    weights: blobHash.nullable(),
    /** What the job did wrong in training; null: nothing, or it was not trained. */
    fault: failure.nullable(),
    /** Of the training alone. */
    seconds: z.number().nullable(),
    curve: z.array(trainingStep),
    endedAt: z.number(),
  },
});
export type Verdict = z.infer<typeof verdict.body>;

/** What base models score on the hidden items of a spec, pinned together with what that depends on. */
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
/** evaluator → evaluator: pin these scores */
export const baselineMeasured = event('baseline-measured', {
  from: ['evaluator'],
  to: { evaluator: 'baseline.{spec}' },
  body: { spec: token, scores: z.record(z.string(), z.array(z.number())), fingerprint: z.string() },
});

/** operator → evaluator, at its edge: measure all baselines; pin them, or with `check` only compare */
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
      /** Number of items whose score differs from what is pinned. */
      drifted: z.int(),
    }),
  ),
  /** null: all were measured. */
  failure: failure.nullable(),
};
/** evaluator → evaluator: what was pinned and what was measured */
export const baselinesCompared = event('baselines-compared', {
  from: ['evaluator'],
  to: { evaluator: 'baselines.{request}' },
  body: compared,
});
/** The result of a request to measure all baselines. */
export const comparison = value('comparison', {
  writer: 'evaluator',
  readers: ['operator', 'viewer'],
  body: compared,
});
export type Comparison = z.infer<typeof comparison.body>;
