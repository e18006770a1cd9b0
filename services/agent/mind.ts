import type { Finding } from '#protocol/finding';
import type { Allowance, Endpoint, Learnable } from '#protocol/mind';
import type { PublicSpec } from '#protocol/run';
import type { Choice, ExperimentResult, Move, Sampled, ToolCall } from '#protocol/transcript';
import type { Workspace } from '#protocol/workspace';

/** Everything that a mind knows when it is asked for its next move. The same moment must lead to the same move. */
export interface Moment {
  /** `run.episode`. */
  readonly episode: string;
  /** The seed of the run. A mind derives all randomness from it, the episode and the number of the move. */
  readonly seed: number;
  readonly task: PublicSpec;
  /** Of its language model; null: it needs none. */
  readonly endpoint: Endpoint | null;
  readonly allowance: Allowance;
  /** Version of the policy that plays the episode. */
  readonly version: number;
  /** Fetches the blob of that policy. */
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

export interface Asked extends Pick<ToolCall, 'tool' | 'input'> {
  /** Why it is no call that can be made, as its mind is told instead of a result; undefined: it can be made. */
  readonly problem?: string;
}

/**
 * A move: tool calls, in order. `validate`, `submit`, `finish` and `await_experiments` end it: calls after one of them
 * are not made. `run_experiment` does not: it begins a training of the files as they are at that point, and several may
 * run at once. A move that ends with none of these is followed by the next one immediately.
 */
export interface Decision extends Partial<Pick<Move, 'thinking' | 'model' | 'usage'>> {
  readonly text: string;
  /** What a policy chose, if its probabilities can be recomputed (`protocol/transcript.ts`); otherwise empty. */
  readonly choices: readonly Choice[];
  /** Its tokens, if the endpoint gave all of them; undefined: it did not. */
  readonly sampled?: Sampled;
  readonly calls: readonly Asked[];
}

interface Checked {
  readonly learnable: Learnable;
  /** Why it is `nothing`; otherwise empty. */
  readonly why: string;
}

/** What plays an episode. An example is `catalogue/mind.ts`; `minds.ts` has a line for each. */
export interface Mind {
  /** Whether it can play, and what can be learned from its moves. Rejects with `Failed` if it cannot play. */
  check(endpoint: Endpoint | null, signal: AbortSignal): Promise<Checked>;
  decide(moment: Moment): Promise<Decision>;
}
