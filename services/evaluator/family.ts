import { z } from 'zod';
import { secondsAllowed } from '#protocol/training';
import type { Rng } from './draw.ts';

/**
 * A kind of skill: what an agent is asked for, the hidden items that measure it, and the score of a completion.
 * Everything is a pure function of its arguments. Your own family is a file that exports `family`; `conformance.ts`
 * checks it.
 */
export interface Family {
  /** kebab-case, unique in the registry. */
  readonly name: string;
  /**
   * `training`: the agent learns from its rewards. `held-out`: it is only measured. `impossible`: the answer cannot be
   * inferred from the prompt, so a score significantly above the floor was reached by other means than training.
   */
  readonly use: 'training' | 'held-out' | 'impossible';
  /** The best mean score of a constant completion or a guess; 0 if only the right answer scores. */
  readonly floor: number;
  /** What varies between specs, chosen by `spec` and given to `items`. Public, JSON. */
  readonly parameters: z.ZodType<Parameters>;
  /** One task in words. They must suffice, because no prompt names its operation. */
  spec(rng: Rng): Spec;
  /** `n` items, no prompt twice; a greater n only appends items. The seed is secret. */
  items(seed: string, parameters: Parameters, n: number): Item[];
  /** 0 to 1, for any completion; 1 for the answer. The completion ends where the model ended it. */
  score(item: Item, completion: string): number;
}

export type Parameters = Readonly<Record<string, unknown>>;

export interface Item {
  /** 1 to 15 lower-case letters and digits, then `>`. */
  readonly prompt: string;
  /** 1 to 16 letters and digits. */
  readonly answer: string;
}
export const promptShape = /^[a-z0-9]{1,15}>$/;
export const answerShape = /^[a-zA-Z0-9]{1,16}$/;

/** What a job for a spec may ask for; stage 1 of validation enforces it. */
export const specLimits = z.strictObject({
  /** Optimizer steps of one training. */
  steps: z.int().min(1).max(1000),
  /** Of one training alone, which is stopped after that. */
  seconds: secondsAllowed,
  /**
   * Base models that a job may start from. The reward compares with the best of them, so a weaker one is no advantage.
   */
  baseModels: z.array(z.string()).min(1),
});
export type SpecLimits = z.infer<typeof specLimits>;

export interface Spec {
  readonly text: string;
  readonly parameters: Parameters;
  readonly limits: SpecLimits;
}
