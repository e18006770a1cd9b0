import { z } from 'zod';
import { failure } from './failure.ts';
import { act, blobHash, event, token } from './message.ts';
import { runConfig } from './run.ts';
import { type BlobStore, value } from './value.ts';

const toRun = (service: 'learner' | 'conductor') => ({ [service]: '{run}.main' });
const published = { run: token, version: z.int().nonnegative(), blob: blobHash };

/** conductor → learner, at its edge: make the first policy */
export const policyOpen = act('policy-open', {
  from: ['conductor'],
  to: toRun('learner'),
  body: { run: token, config: runConfig },
});
/** learner → learner: the first policy exists */
export const policyOpened = event('policy-opened', {
  from: ['learner'],
  to: toRun('learner'),
  body: { ...published, config: runConfig },
});

/** An episode as an update needs it. */
const sample = z.strictObject({ episode: token, transcript: blobHash, advantage: z.number(), policy: z.int() });
export type Sample = z.infer<typeof sample>;

/** learner → learner, at its edge: one optimizer step from the policy named here to the next version */
export const policyUpdate = act('policy-update', {
  from: ['learner'],
  to: toRun('learner'),
  body: {
    ...published,
    trainer: runConfig.shape.trainer,
    /** Groups of the run that the next version will have learned from. */
    groups: z.int().nonnegative(),
    samples: z.array(sample),
  },
});
/** Figures of one update. */
const stats = {
  samples: z.int(),
  stalenessMax: z.int(),
  /** Probability of a choice under this policy over that under the policy that made it: the mean over the choices. */
  ratio: z.number(),
  /** Share of the choices whose ratio was clipped. */
  clipped: z.number(),
  /** Of the policy, mean over the choices, nats. */
  entropy: z.number(),
  gradientNorm: z.number(),
  /** The loss before the step. */
  loss: z.number(),
  /** Divergence of this policy from the one that made the choices, mean over them, nats. */
  kl: z.number(),
};
export const updateStats = z.strictObject(stats);
/** learner → learner: the next version exists */
export const policyUpdated = event('policy-updated', {
  from: ['learner'],
  to: toRun('learner'),
  body: { ...published, ...stats },
});
/** learner → learner: an update, or the first policy, could not be made */
export const policyFailed = event('policy-failed', {
  from: ['learner'],
  to: toRun('learner'),
  body: { run: token, failure },
});
/** learner → conductor: play with this one from now on */
export const policyPublished = event('policy-published', {
  from: ['learner'],
  to: toRun('conductor'),
  body: { ...published, stalenessMax: z.int() },
});

/** The policy of a run. */
export const policyValue = value('policy', {
  writer: 'learner',
  readers: ['agent', 'operator', 'viewer'],
  body: { blob: blobHash, ...stats },
});

/** The blob of a policy of the `catalogue` mind, as JSON in UTF-8: all that the next update needs. */
export const cataloguePolicy = z.strictObject({
  version: z.int().nonnegative(),
  weights: z.record(z.string(), z.number()),
  /** Adam's moments by feature, and the number of updates so far. */
  optimizer: z.strictObject({
    m: z.record(z.string(), z.number()),
    v: z.record(z.string(), z.number()),
    t: z.int().nonnegative(),
  }),
  /** Groups of the run that it has learned from. */
  position: z.int().nonnegative(),
});
export type CataloguePolicy = z.infer<typeof cataloguePolicy>;

/** Policies, with the state of their optimizers. */
export const policies: BlobStore = {
  name: 'policy',
  writers: ['learner'],
  readers: ['agent', 'operator', 'viewer'],
  mostBytes: 2 ** 30,
};
