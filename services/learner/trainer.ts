import type { RunConfig } from '#protocol/run';
import type { Transcript } from '#protocol/transcript';

/** An episode with a reward: what its agent did, and how much better it did than the mean of its group. */
export interface Lesson {
  readonly transcript: Transcript;
  readonly advantage: number;
}

interface Step {
  /** Of the policy to be made. */
  readonly version: number;
  /** Groups of the run that it will have learned from. */
  readonly position: number;
  readonly lessons: readonly Lesson[];
  readonly signal: AbortSignal;
}

/** The new policy, and figures of the update; shares and means are over choices, or over tokens. */
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
 * What turns lessons into a better policy. An example is `catalogue.ts`; `trainers.ts` has a line for each. The same
 * policy and the same lessons must give the same next policy, bit for bit.
 */
export interface Trainer {
  /** The bytes of version 0. */
  open(config: RunConfig): Promise<Uint8Array>;
  update(policy: Uint8Array, step: Step): Promise<Updated>;
}
