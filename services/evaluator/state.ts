import { z } from 'zod';
import { finding } from '#protocol/finding';
import { blobHash, token } from '#protocol/message';
import { experimentNumber } from '#protocol/transcript';

/** An evaluator is one episode, or the baselines of one spec. */
export const state = {
  phase: z.enum(['open', 'running', 'scored', 'invalid', 'failed']),
  /** Submissions that were found invalid, by their transcripts: told twice is counted once. */
  rejected: z.array(blobHash),
  /** The submission that counts: the valid one, or the last that was none. */
  workspace: blobHash.nullable(),
  transcript: blobHash.nullable(),
  findings: z.array(finding),
  baseModel: token.nullable(),
  experiments: z.array(
    z.strictObject({
      experiment: experimentNumber,
      phase: z.enum(['asked', 'running', 'refused', 'ended']),
      /** In which it held a pod. */
      seconds: z.number(),
    }),
  ),
  /** The baselines of a spec, as they are pinned. */
  pinned: z.strictObject({
    version: z.int(),
    fingerprint: z.string(),
    scores: z.record(z.string(), z.array(z.number())),
  }),
};
export type State = z.infer<z.ZodObject<typeof state>>;
export const nothing: State = {
  phase: 'open',
  rejected: [],
  workspace: null,
  transcript: null,
  findings: [],
  baseModel: null,
  experiments: [],
  pinned: { version: 0, fingerprint: '', scores: {} },
};
