import { z } from 'zod';
import { blobHash } from '#protocol/message';
import { updateStats } from '#protocol/policy';
import { runConfig } from '#protocol/run';
import { ended } from './order.ts';

/** A learner is one run. Step n makes version n + 1 of groups n · groupsPerStep and on, whenever they ended. */
export const state = {
  config: runConfig.nullable(),
  /** The newest; null: the first is not there yet. */
  policy: z.strictObject({ version: z.int().nonnegative(), blob: blobHash }).nullable(),
  /** What the update to the newest did; null: it is the first. */
  did: updateStats.nullable().default(null),
  /** An update of the newest policy is being made. */
  updating: z.boolean(),
  /** Of groups that no version has learned from: pacing bounds them. */
  ended: z.array(ended),
};
export type State = z.infer<z.ZodObject<typeof state>>;
