import { z } from 'zod';
import { failure } from './failure.ts';
import { life } from './life.ts';
import { act, command, event, token } from './message.ts';
import { allowance, endpoint, type Learnable } from './mind.ts';
import { secondsAllowed } from './training.ts';
import { experimentsAllowed } from './transcript.ts';
import { value } from './value.ts';

/** One outer training run, from its first step to its last evaluation. */
export const runLife = life('run', {
  new: ['preparing'],
  preparing: ['training', 'ended'],
  training: ['measuring', 'ended'],
  measuring: ['ended'],
  ended: [],
});
export const runPhase = z.enum(['new', 'preparing', 'training', 'measuring', 'ended']);

/** How a reward is computed from its parts; see `services/evaluator/rubric.ts`. */
export const formula = z.enum(['reference', 'gated']);

/** Every knob of a run. */
export const runConfig = z.strictObject({
  /** The same seed draws the same specs, and the same choices from the same policy. */
  seed: z.int().min(0).default(0),
  /** Updates of the policy; bounded, because all of them are in one record. 0: the run only measures the first policy. */
  steps: z.int().min(0).max(5_000).default(20),
  /** Groups of one step; a group is one spec. */
  groupsPerStep: z.int().min(1).max(64).default(4),
  /** Episodes of one group, which are compared with each other. */
  groupSize: z.int().min(2).max(64).default(4),
  /** An episode may be at most this many updates older than the policy that learns from it. */
  maxStepsOffPolicy: z.int().min(0).max(16).default(2),
  /** Most episodes under way at once. */
  episodesAtOnce: z.int().min(1).max(1_000).default(24),
  formula: formula.default('reference'),
  mind: z.enum(['catalogue', 'openai']).default('catalogue'),
  /** Of the language model that is the mind; null: the mind needs none. */
  endpoint: endpoint.nullable().default(null),
  /** `none` learns nothing: every version of the policy is the first one, and the run only measures. */
  trainer: z.enum(['catalogue', 'none']).default('catalogue'),
  allowance: allowance.prefault({}),
  /** Episodes on each held-out family, before the first step and after the last; 0: none. */
  heldOutEpisodes: z.int().min(0).max(1_000).default(8),
  /** Such an evaluation is also made every so many steps in between; 0: never. */
  heldOutEvery: z.int().min(0).default(10),
  /**
   * A family of which an evaluation plays one episode, instead of those on held-out families; null: there is none. With
   * `steps = 0` that episode is the whole run.
   */
  trial: token.nullable().default(null),
  /** An episode that takes longer ends as failed, seconds. */
  episodeSeconds: z
    .number()
    .positive()
    .max(7 * 24 * 3_600)
    .default(180),
  /** Price of an hour in which a pod trains; 0 on your own machine. */
  podUsdPerHour: z.number().min(0).max(1e6).default(0),
  /** No new group is admitted once the run has cost this much; null: no limit. */
  budgetUsd: z.number().positive().nullable().default(null),
});
export type RunConfig = z.infer<typeof runConfig>;

/** What a trainer can learn from. */
export const learnsFrom = { catalogue: 'choices', none: 'nothing' } as const satisfies Record<
  RunConfig['trainer'],
  Learnable
>;

/** A task that the conductor may set. Only the evaluator knows the items that measure it. */
export const spec = z.strictObject({
  id: token,
  family: token,
  use: z.enum(['training', 'held-out', 'impossible']),
  /** "train a model to …" */
  text: z.string(),
  limits: z.strictObject({
    /** Optimizer steps of one training. */
    steps: z.int().positive(),
    /** Of one training, which is stopped after that. */
    seconds: secondsAllowed,
    /** Base models that a job may start from. */
    baseModels: z.array(token).min(1),
    /** Most experiments of one episode; each is a training, and a look at the probe items. */
    experiments: experimentsAllowed,
  }),
});
export type Spec = z.infer<typeof spec>;
/** What an agent is told of it: it has to read the text, and must not know whether the family is held out. */
export const publicSpec = spec.omit({ family: true, use: true });
export type PublicSpec = z.infer<typeof publicSpec>;

/** operator → conductor: begin a run */
export const runStart = command('run-start', {
  from: ['operator'],
  to: { conductor: '{run}.main' },
  body: { run: token, config: runConfig },
});
/** operator → conductor: begin no new episode; those under way are finished */
export const runStop = command('run-stop', {
  from: ['operator'],
  to: { conductor: '{run}.main' },
  body: { run: token },
});
/** conductor → evaluator, at its edge: which specs are there? Their baselines are measured first */
export const catalogueWanted = act('catalogue-wanted', {
  from: ['conductor'],
  to: { evaluator: '{run}.main' },
  body: { run: token },
});
/** evaluator → conductor: the specs */
export const catalogueTold = event('catalogue-told', {
  from: ['evaluator'],
  to: { conductor: '{run}.main' },
  body: { run: token, specs: z.array(spec) },
});
/** evaluator, agent, learner → conductor: the run cannot be prepared */
export const runFailed = event('run-failed', {
  from: ['evaluator', 'agent', 'learner'],
  to: { conductor: '{run}.main' },
  body: { run: token, failure },
});

/** Means over the scored and invalid episodes of a step or of an evaluation. */
export const means = {
  reward: z.number(),
  validity: z.number(),
  quality: z.number(),
  uplift: z.number(),
  speed: z.number(),
  /** Episodes that the means are over, and those that failed. */
  episodes: z.int(),
  failed: z.int(),
  jobs: z.int(),
};
export const stepRecord = z.strictObject({
  ...means,
  step: z.int(),
  /** The policy that the step produced. */
  policyVersion: z.int(),
  stalenessMax: z.int(),
  /** Since the end of the previous step. */
  seconds: z.number(),
});
export type StepRecord = z.infer<typeof stepRecord>;
const evaluationRecord = z.strictObject({ ...means, policyVersion: z.int(), wanted: z.int() });
export type EvaluationRecord = z.infer<typeof evaluationRecord>;

/** Number of episodes that have ended, by outcome. */
export const outcomes = z.strictObject({ scored: z.int(), invalid: z.int(), failed: z.int() });
/** Why a run begins no new episode. */
export const over = z.enum(['done', 'stopped', 'budget', 'failed']);

/** The state of a run, as people see it. */
export const runRecord = value('run', {
  writer: 'conductor',
  readers: ['operator', 'viewer'],
  body: {
    phase: runPhase,
    config: runConfig,
    /** Milliseconds since 1970, by the server's clock. */
    startedAt: z.number(),
    endedAt: z.number().nullable(),
    policyVersion: z.int(),
    steps: z.array(stepRecord),
    /** On the held-out families. */
    evaluations: z.array(evaluationRecord),
    outcomes,
    underWay: z.int(),
    costUsd: z.number(),
    /** Why no new episode begins; null: episodes still begin. */
    over: over.nullable(),
    failure: failure.nullable(),
  },
});
export type RunRecord = z.infer<typeof runRecord.body>;
