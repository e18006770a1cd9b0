import type { Finding } from '#protocol/finding';
import type { PublicSpec } from '#protocol/run';
import type { Choice, ExperimentResult, Move, ToolCall } from '#protocol/transcript';
import type { Workspace } from '#protocol/workspace';

/** All that a mind knows when it is asked for its next move. The same moment must lead to the same move. */
export interface Moment {
  /** `run.episode`. */
  readonly episode: string;
  /** Of the run: all chance of a mind comes from it, the episode and the number of the move. */
  readonly seed: number;
  readonly task: PublicSpec;
  /** The blob of the policy that the episode is played with, fetched when it is asked for. */
  policy(): Promise<Uint8Array>;
  /** Moves made before, each with what its tools answered. */
  readonly moves: readonly Move[];
  readonly files: Workspace;
  /** What came back of the last move's `validate` or `submit`; null: it ended with neither. */
  readonly findings: readonly Finding[] | null;
  /** What came back of experiments since the last move. */
  readonly experiments: readonly ExperimentResult[];
  /** Experiments begun before, of the `limits.experiments` that the task allows. */
  readonly begun: number;
  readonly signal: AbortSignal;
}

export type Asked = Pick<ToolCall, 'tool' | 'input'>;

/**
 * What is to be done, in order. `validate`, `submit`, `finish` and `await_experiments` end a move: calls after one of them
 * are not made. `run_experiment` does not: it begins a training of the files as they are then, and several run side by
 * side. A move that ends without waiting for them is followed by the next one at once.
 */
export interface Decision {
  readonly text: string;
  /** For a policy whose choices can be recomputed (`protocol/transcript.ts`); else none. */
  readonly choices: readonly Choice[];
  readonly calls: readonly Asked[];
}

/** Whoever plays an episode: an example is `catalogue/mind.ts`. `minds.ts` has a line for each. */
export interface Mind {
  decide(moment: Moment): Promise<Decision>;
}
