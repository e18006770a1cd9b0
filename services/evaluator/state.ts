import { z } from 'zod';
import { finding } from '#protocol/finding';
import { blobHash, token } from '#protocol/message';
import { experimentNumber } from '#protocol/transcript';

/** An instance is one episode, or the baselines of one spec. */
export const state = {
  phase: z.enum(['open', 'running', 'scored', 'invalid', 'failed']),
  /** Invalid submissions, by their transcripts, so that a repeated message is counted once. */
  rejected: z.array(blobHash),
  /** The submission that counts: the valid one, or else the last. */
  workspace: blobHash.nullable(),
  transcript: blobHash.nullable(),
  findings: z.array(finding),
  baseModel: token.nullable(),
  experiments: z.array(
    z.strictObject({
      experiment: experimentNumber,
      phase: z.enum(['asked', 'running', 'refused', 'ended']),
      /** How long it held a pod. */
      seconds: z.number(),
    }),
  ),
  /** The pinned baselines of a spec. */
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
