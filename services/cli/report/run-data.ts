import type { RunRecord } from '#protocol/run';
import type { Transcript } from '#protocol/transcript';
import type { Verdict } from '#protocol/verdict';
import type { Workspace } from '#protocol/workspace';

/** What pods did, in all runs of a stack or during one. */
export interface PodTotals {
  /** The greatest number of pods at once. */
  readonly most: number;
  /** How long pods existed, and how much of that they trained. */
  readonly podSeconds: number;
  readonly usefulSeconds: number;
}

/** Everything about a run that its summary and report need. Times are milliseconds since 1970. */
export interface RunData {
  readonly run: string;
  readonly record: RunRecord;
  /** In the order in which the episodes ended. */
  readonly verdicts: readonly Verdict[];
  /** null: the pool has reported nothing. */
  readonly pods: PodTotals | null;
  /** By episode; not all of a long run. */
  readonly transcripts: Readonly<Record<string, Transcript>>;
  /** By episode, of those worth reading. */
  readonly workspaces: Readonly<Record<string, Workspace>>;
  /** Number of processes that were restarted. */
  readonly restarts: number;
  /** When this was gathered. */
  readonly at: number;
}

/** Episodes with a reward; a failed one says nothing about the policy, and is never a zero. */
export const rated = (verdicts: readonly Verdict[]): Verdict[] =>
  verdicts.filter(({ outcome, reward }) => outcome !== 'failed' && reward !== null);

export const upliftOf = ({ parts }: Verdict): number => parts?.uplift ?? 0;
export const rewardOf = ({ reward }: Verdict): number => reward ?? 0;

/** From the start of the run to its end, or until now. */
export const wallSecondsOf = ({ record, at }: RunData): number =>
  Math.max(0, ((record.endedAt ?? at) - record.startedAt) / 1000);

/** In the order in which the keys are first met. */
export function grouped<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
