import type { RunConfig } from '#protocol/run';
import type { Transcript } from '#protocol/transcript';

/** An episode that was scored: what its agent did, and how much better that was than what the others of its group did. */
export interface Lesson {
  readonly transcript: Transcript;
  readonly advantage: number;
}

interface Step {
  /** Of the policy that is made. */
  readonly version: number;
  /** Groups of the run that it has learned from. */
  readonly position: number;
  readonly lessons: readonly Lesson[];
  readonly signal: AbortSignal;
}

/** What an update did; shares and means are over choices, or over tokens. */
interface Updated {
  readonly policy: Uint8Array;
  readonly ratio: number;
  readonly clipped: number;
  readonly entropy: number;
  readonly gradientNorm: number;
  readonly loss: number;
  readonly kl: number;
}

/**
 * Whoever turns lessons into a better policy: an example is `catalogue.ts`. The same lessons and the same policy must give
 * the same next one. `trainers.ts` has a line for each.
 */
export interface Trainer {
  /** Version 0. */
  open(config: RunConfig): Promise<Uint8Array>;
  update(policy: Uint8Array, step: Step): Promise<Updated>;
}
