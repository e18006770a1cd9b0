/** One episode that has ended. */
export interface Ended {
  /** The episodes of one spec, which are compared with each other. */
  readonly group: string;
  /** null: it failed, which says nothing about the policy; it counts towards its group, but is not learned from. */
  readonly reward: number | null;
}
export interface Compared<E extends Ended> {
  readonly sample: E;
  /** Its reward minus the mean of its group. */
  readonly advantage: number;
}

/**
 * What a step learns from: the episodes with a reward in every complete group, each compared with the mean of its
 * group. The difference is not divided by the spread, because a group with hardly any differences should hardly teach.
 * Groups come in the order of their first episode. The advantages of a group sum to zero; if its rewards are equal,
 * each is exactly zero.
 */
export function compareGroups<E extends Ended>(ended: readonly E[], groupSize: number): Compared<E>[] {
  const groups = new Map<string, E[]>();
  for (const one of ended) {
    const group = groups.get(one.group) ?? [];
    group.push(one);
    groups.set(one.group, group);
  }
  return [...groups].flatMap(([name, group]) => {
    if (group.length > groupSize)
      throw new Error(`group "${name}" has ${group.length} episodes of ${groupSize}: an episode was counted twice`);
    return group.length === groupSize ? compare(group) : [];
  });
}

function compare<E extends Ended>(group: readonly E[]): Compared<E>[] {
  const scored = group.flatMap((sample) => (sample.reward === null ? [] : [{ sample, reward: sample.reward }]));
  const wrong = scored.find(({ reward }) => !Number.isFinite(reward));
  if (wrong)
    throw new Error(
      `an episode of group "${wrong.sample.group}" has the reward ${wrong.reward}: the evaluator never gives that`,
    );
  const advantages = aboveMean(scored.map(({ reward }) => reward));
  return scored.map(({ sample }, at) => ({ sample, advantage: advantages[at] ?? 0 }));
}

/** Rewards minus their mean. It is computed from the least one, so that equal rewards give exactly 0. */
export function aboveMean(rewards: readonly number[]): number[] {
  const least = Math.min(...rewards);
  const mean = rewards.reduce((sum, reward) => sum + (reward - least), 0) / rewards.length;
  return rewards.map((reward) => reward - least - mean);
}
