import { z } from 'zod';
import { blobHash } from '#protocol/message';
import type { Sample } from '#protocol/policy';
import type { RunConfig } from '#protocol/run';
import { compareGroups } from './advantage.ts';

/** An ended episode that is still to be learned from. */
export const ended = z.strictObject({
  episode: z.string(),
  group: z.string(),
  reward: z.number().nullable(),
  transcript: blobHash.nullable(),
  policy: z.int(),
  /** How long it took. */
  seconds: z.number().default(0),
});
type Ended = z.infer<typeof ended>;
type Groups = Pick<RunConfig, 'groupsPerStep' | 'groupSize'>;

/**
 * The index of a training group: the conductor names them g0, g1, … in the order in which it begins them. -1: another
 * group.
 */
export const indexOf = (group: string): number => Number(/^g(\d+)$/.exec(group)?.[1] ?? -1);

/** Number of groups that a version has learned from. */
export const groupsOf = (version: number, { groupsPerStep }: Pick<Groups, 'groupsPerStep'>): number =>
  version * groupsPerStep;

/**
 * What the step after a version learns from: groups in the order of their index, episodes in the order of their names,
 * so that it does not matter which ended first. Undefined until all of them have ended. A failed episode counts towards
 * its group, but is not a sample.
 */
export function samplesOf(all: readonly Ended[], version: number, groups: Groups): Sample[] | undefined {
  const [first, end] = [groupsOf(version, groups), groupsOf(version + 1, groups)];
  const step = all
    .filter(({ group }) => indexOf(group) >= first && indexOf(group) < end)
    .toSorted((one, other) => indexOf(one.group) - indexOf(other.group) || (one.episode < other.episode ? -1 : 1));
  if (step.length < groups.groupsPerStep * groups.groupSize) return undefined;
  return compareGroups(step, groups.groupSize).flatMap(({ sample: { episode, transcript, policy }, advantage }) =>
    transcript === null ? [] : [{ episode, transcript, policy, advantage }],
  );
}
