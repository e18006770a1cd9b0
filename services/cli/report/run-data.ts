import type { RunRecord } from '#protocol/run';
import type { Transcript } from '#protocol/transcript';
import type { Verdict } from '#protocol/verdict';
import type { Workspace } from '#protocol/workspace';

/** What pods did, for all runs of a stack together or for the time of one. */
export interface PodTotals {
  /** Pods that were there at once. */
  readonly most: number;
  /** In which pods were there, and in which they trained. */
  readonly podSeconds: number;
  readonly usefulSeconds: number;
}

/** All that a run left behind, as summary and report need it. Times are milliseconds since 1970. */
export interface RunData {
  readonly run: string;
  readonly record: RunRecord;
  /** In the order in which the episodes ended. */
  readonly verdicts: readonly Verdict[];
  /** null: the pool has told of none. */
  readonly pods: PodTotals | null;
  /** By episode; of a long run not all. */
  readonly transcripts: Readonly<Record<string, Transcript>>;
  /** By episode, of those worth reading. */
  readonly workspaces: Readonly<Record<string, Workspace>>;
  /** Processes that were started again. */
  readonly restarts: number;
  /** When this was gathered. */
  readonly at: number;
}

/** Those that say something about the policy: a failed one is never a zero. */
export const rated = (verdicts: readonly Verdict[]): Verdict[] =>
  verdicts.filter(({ outcome, reward }) => outcome !== 'failed' && reward !== null);

export const upliftOf = ({ parts }: Verdict): number => parts?.uplift ?? 0;
export const rewardOf = ({ reward }: Verdict): number => reward ?? 0;

/** From its start to its end, or to now. */
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
