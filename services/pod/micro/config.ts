import { z } from 'zod';

/** The knobs of a run, under the names of train.toml. The defaults lift one operation from 0.1 to 0.6-1.0 in about a second. */
export const trainConfig = z.strictObject({
  /** Optimizer updates; each draws fresh completions. */
  steps: z.int().min(1).max(1000).default(25),
  /** Prompts per step. */
  groups_per_step: z.int().min(1).max(64).default(8),
  /** Completions per prompt, compared with each other; one alone would have no advantage. */
  group_size: z.int().min(2).max(64).default(8),
  /** Of AdamW. */
  learning_rate: z.number().positive().max(0.1).default(1e-3),
  /** Divides the logits, in sampling and in training. */
  temperature: z.number().min(0.1).max(2).default(1),
  /** Most tokens of a completion, the end included. */
  max_tokens: z.int().min(1).max(48).default(16),
  /** Weight of the divergence from the base in the loss. */
  kl_coef: z.number().min(0).max(10).default(0),
  /** Rank of the adapter; 0 trains all weights. */
  lora_rank: z.int().min(0).max(32).default(0),
  /** The same seed, base and job give the same weights, bit for bit. */
  seed: z.int().min(0).default(0),
});
export type TrainConfig = z.infer<typeof trainConfig>;
