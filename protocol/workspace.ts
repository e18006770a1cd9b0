import { z } from 'zod';
import { token } from './message.ts';
import { secondsAllowed } from './training.ts';

/** The files of a job, and how large each may be; it has no others. */
export const workspaceFiles = {
  'task.json': { bytes: 4_096, required: true },
  'train.toml': { bytes: 4_096, required: true },
  'environment.js': { bytes: 65_536, required: true },
  'notes.md': { bytes: 16_384, required: false },
} as const satisfies Record<string, { bytes: number; required: boolean }>;
export type WorkspaceFile = keyof typeof workspaceFiles;

/** task.json */
export const task = z.strictObject({
  runtime: z.enum(['micro']),
  /** The base model to start from; one of those that the spec allows. */
  baseModel: z.string().min(1).max(64),
  /** Which spec the job is for. */
  spec: z.string().min(1).max(128),
});
export type Task = z.infer<typeof task>;

/** What a valid workspace asks of a pod. */
export const order = {
  runtime: task.shape.runtime,
  baseModel: token,
  /** Of the training alone, which is stopped after that. */
  seconds: secondsAllowed,
};

/** train.toml: one vocabulary for all runtimes; each translates it for its own trainer. */
export const train = z.strictObject({
  /** Optimizer updates; each draws fresh completions. */
  steps: z.int().min(1).max(1000).default(25),
  /** Prompts per step. */
  groups_per_step: z.int().min(1).max(64).default(8),
  /** Completions per prompt, which are compared with each other; a single one would have no advantage. */
  group_size: z.int().min(2).max(64).default(8),
  learning_rate: z.number().positive().max(0.1).default(1e-3),
  /** Of sampling. */
  temperature: z.number().min(0.1).max(2).default(1),
  /** Most tokens of a completion, including its end. */
  max_tokens: z.int().min(1).max(48).default(16),
  /** Weight, in the loss, of the divergence from the base model. */
  kl_coef: z.number().min(0).max(10).default(0),
  /** Rank of the adapter; 0 trains all weights. */
  lora_rank: z.int().min(0).max(32).default(0),
  /** The same seed, base and job give the same weights. */
  seed: z.int().min(0).default(0),
});
export type Train = z.infer<typeof train>;

/** The files of a workspace by name, as an agent left them. Its blob is this as JSON in UTF-8. */
export const workspace = z.record(z.string().max(64), z.string());
export type Workspace = z.infer<typeof workspace>;
