import { z } from 'zod';
import { failure } from '#protocol/failure';
import { blobHash, token } from '#protocol/message';
import { means, outcomes, over, runConfig, runPhase, spec, stepRecord } from '#protocol/run';

/** Sums over the ended episodes of a step or of an evaluation. */
const tally = z.strictObject(means);
export type Tally = z.infer<typeof tally>;

/** A group that is under way. */
const group = z.strictObject({
  group: token,
  spec: token,
  /** The step that will learn from it; null: it belongs to an evaluation. */
  step: z.int().nullable(),
  /** Version of its policy. */
  policy: z.int(),
  /** Episodes that have not ended. */
  left: z.array(token),
});
export type Group = z.infer<typeof group>;

/** An evaluation of one policy on the held-out and impossible families. */
const evaluation = z.strictObject({
  policy: z.strictObject({ version: z.int(), blob: blobHash }),
  /** Groups that are not admitted yet, each with its spec and number of episodes. */
  waiting: z.array(z.strictObject({ group: token, spec: token, episodes: z.int() })),
  /** Total number of episodes on held-out families. */
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
  /** Whether the mind of the run has been found to answer. */
  hasMind: z.boolean().default(true),
  /** The newest; null: there is none yet. */
  policy: z.strictObject({ version: z.int(), blob: blobHash }).nullable(),
  /** Number of groups for training admitted so far. */
  admitted: z.int(),
  groups: z.array(group),
  /** Tallies of the steps that are not closed yet, beginning with step `steps.length`. */
  open: z.array(tally),
  /** Greatest staleness by policy version, until the step that made the version is closed; version 0 stays. */
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
