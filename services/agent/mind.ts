import type { Finding } from '#protocol/finding';
import type { PublicSpec } from '#protocol/run';
import type { Choice, ExperimentResult, Move, ToolCall } from '#protocol/transcript';
import type { Workspace } from '#protocol/workspace';

/** Everything that a mind knows when it is asked for its next move. The same moment must lead to the same move. */
export interface Moment {
  /** `run.episode`. */
  readonly episode: string;
  /** The seed of the run. A mind derives all randomness from it, the episode and the number of the move. */
  readonly seed: number;
  readonly task: PublicSpec;
  /** Fetches the blob of the policy that plays the episode. */
  policy(): Promise<Uint8Array>;
  /** The moves made so far, each with the results of its tools. */
  readonly moves: readonly Move[];
  readonly files: Workspace;
  /** The findings of the last move's `validate` or `submit`; null: it ended with neither. */
  readonly findings: readonly Finding[] | null;
  /** Results of experiments that came back since the last move. */
  readonly experiments: readonly ExperimentResult[];
  /** Number of experiments begun so far; the task allows `limits.experiments`. */
  readonly begun: number;
  readonly signal: AbortSignal;
}

export type Asked = Pick<ToolCall, 'tool' | 'input'>;

/**
 * A move: tool calls, in order. `validate`, `submit`, `finish` and `await_experiments` end it: calls after one of them
 * are not made. `run_experiment` does not: it begins a training of the files as they are at that point, and several may
 * run at once. A move that ends with none of these is followed by the next one immediately.
 */
export interface Decision {
  readonly text: string;
  /** What a policy chose, if its probabilities can be recomputed (`protocol/transcript.ts`); otherwise empty. */
  readonly choices: readonly Choice[];
  readonly calls: readonly Asked[];
}

/** What plays an episode. An example is `catalogue/mind.ts`; `minds.ts` has a line for each. */
export interface Mind {
  decide(moment: Moment): Promise<Decision>;
}
