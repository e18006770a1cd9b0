import { z } from 'zod';
import { failure } from '#protocol/failure';
import { blobHash, token } from '#protocol/message';
import { means, outcomes, over, runConfig, runPhase, spec, stepRecord } from '#protocol/run';

/** Sums over the episodes that have ended, of a step or of an evaluation. */
const tally = z.strictObject(means);
export type Tally = z.infer<typeof tally>;

/** A group that is under way. */
const group = z.strictObject({
  group: token,
  spec: token,
  /** The step that it is learned from in; null: it belongs to an evaluation. */
  step: z.int().nullable(),
  /** Version of its policy. */
  policy: z.int(),
  /** Episodes that have not ended. */
  left: z.array(token),
});
export type Group = z.infer<typeof group>;

/** An evaluation of one policy on the families that are not trained on. */
const evaluation = z.strictObject({
  policy: z.strictObject({ version: z.int(), blob: blobHash }),
  /** Groups that are not admitted yet: a spec, and how many episodes on it. */
  waiting: z.array(z.strictObject({ group: token, spec: token, episodes: z.int() })),
  /** Episodes on held-out families, all in all. */
  wanted: z.int(),
  tally,
});
export type Evaluation = z.infer<typeof evaluation>;

export const runState = z.strictObject({
  phase: runPhase,
  config: runConfig,
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  specs: z.array(spec),
  /** The newest; null: there is none yet. */
  policy: z.strictObject({ version: z.int(), blob: blobHash }).nullable(),
  /** Groups for training that were admitted so far. */
  admitted: z.int(),
  groups: z.array(group),
  /** Of the steps that are not closed yet, the first of them being that of `steps.length`. */
  open: z.array(tally),
  /** By the version of a policy, until the step that made it is closed; of version 0 for ever. */
  staleness: z.record(z.string(), z.int()),
  steps: z.array(stepRecord),
  stepBeganAt: z.number(),
  evaluations: z.array(evaluation),
  outcomes: outcomes,
  podSeconds: z.number(),
  over: over.nullable(),
  failure: failure.nullable(),
  /** Of the record that people watch. */
  version: z.int(),
});
export type RunState = z.infer<typeof runState>;
