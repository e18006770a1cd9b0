import type { Failure } from '#protocol/failure';
import type { TrainingStep } from '#protocol/training';
import type { Train, Workspace } from '#protocol/workspace';

/** What executes jobs on this machine, one at a time. An example is `micro.ts`; `registry.ts` has a line for each. */
export interface Runtime {
  /** A hash of everything that its results depend on. */
  version(): string;
  /** A small order that shows whether this machine can train; it also warms the runtime up for the first job. */
  readonly selfTest: Order;
  /** Rejects if this machine is at fault, not the job, or as soon as `signal` is aborted. */
  train(order: Order, how: How): Promise<Training>;
  /** One completion for each prompt, in their order, with temperature 0. */
  answer(weights: Uint8Array, prompts: readonly string[], how: Pick<How, 'signal'>): Promise<string[]>;
}

export interface Order {
  readonly baseModel: string;
  readonly train: Train;
  readonly files: Workspace;
  /** Of training, which is stopped after that. */
  readonly seconds: number;
}

interface How {
  readonly signal: AbortSignal;
  readonly onStep?: (step: TrainingStep) => void;
}

/** The same order gives the same weights, in any process. */
export interface Training {
  /** As safetensors; null: the job failed, by its own fault. */
  readonly weights: Uint8Array | null;
  /** What the job did wrong; null: nothing. */
  readonly fault: Failure | null;
  readonly curve: readonly TrainingStep[];
  /** Of the training alone. */
  readonly seconds: number;
}
