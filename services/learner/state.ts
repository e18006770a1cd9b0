import { z } from 'zod';
import { blobHash } from '#protocol/message';
import { updateStats } from '#protocol/policy';
import { runConfig } from '#protocol/run';
import { ended } from './order.ts';

/**
 * An instance is one run. Step n makes version n + 1 from the `groupsPerStep` groups that begin with n · groupsPerStep.
 */
export const state = {
  config: runConfig.nullable(),
  /** The newest; null: the first does not exist yet. */
  policy: z.strictObject({ version: z.int().nonnegative(), blob: blobHash }).nullable(),
  /** Figures of the update that made it; null: it is the first. */
  did: updateStats.nullable().default(null),
  /** Whether an update of the newest policy is under way. */
  updating: z.boolean(),
  /** Ended episodes of groups that no version has learned from; pacing bounds their number. */
  ended: z.array(ended),
};
export type State = z.infer<z.ZodObject<typeof state>>;
