import { z } from 'zod';
import { allowance } from '#protocol/training';
import type { Rng } from './draw.ts';

/**
 * A kind of skill: what a trainer is asked for, the hidden items that it is measured with, and what a completion is
 * worth. A family of one's own is a file that exports `family`; `conformance.ts` says whether it is one. Everything is
 * a pure function of its arguments.
 */
export interface Family {
  /** kebab-case; in the registry there is one of each name. */
  readonly name: string;
  /**
   * `training`: the trainer learns from its rewards. `held-out`: it is only measured. `impossible`: no prompt tells its
   * answer, so a score significantly above the floor was got by other means than training.
   */
  readonly use: 'training' | 'held-out' | 'impossible';
  /** What one constant completion, or a guess, gets on average at best; 0 where only the right answer is paid. */
  readonly floor: number;
  /** What a spec leaves open, chosen by `spec` and given to `items`. Public, JSON. */
  readonly parameters: z.ZodType<Parameters>;
  /** One task in words. The words must suffice: no prompt names its operation. */
  spec(rng: Rng): Spec;
  /** `n` items, no prompt twice; the first of them are the same for every greater n. The seed is secret. */
  items(seed: string, parameters: Parameters, n: number): Item[];
  /** 0 to 1, for any completion whatever; 1 for the answer. The completion ends where the model ended it. */
  score(item: Item, completion: string): number;
}

export type Parameters = Readonly<Record<string, unknown>>;

export interface Item {
  /** 1 to 16 of a to z and digits, the last being `>`. */
  readonly prompt: string;
  /** 1 to 16 letters and digits. */
  readonly answer: string;
}
export const promptShape = /^[a-z0-9]{1,15}>$/;
export const answerShape = /^[a-zA-Z0-9]{1,16}$/;

/** What a job for a spec may ask for; stage 1 of validation holds it. */
export const specLimits = z.strictObject({
  /** Optimizer steps of one training. */
  steps: z.int().min(1).max(1000),
  /** Of one training alone, after which it is ended. */
  seconds: allowance,
  /** Where a job may begin; the reward compares with the best of them, so that a weaker one is no profit. */
  baseModels: z.array(z.string()).min(1),
});
export type SpecLimits = z.infer<typeof specLimits>;

export interface Spec {
  readonly text: string;
  readonly parameters: Parameters;
  readonly limits: SpecLimits;
}
