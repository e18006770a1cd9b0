import type { Failure } from '#protocol/failure';
import type { TrainingStep } from '#protocol/training';
import type { Train, Workspace } from '#protocol/workspace';

/** What executes jobs on this machine. One at a time is asked of it. */
export interface Runtime {
  /** A hash of all that its results depend on. */
  version(): string;
  /** A small order that shows that it can train; after it, the next one begins at once. */
  readonly probe: Order;
  /** Rejects where this machine is at fault, not the job, and as soon as `signal` is aborted. */
  train(order: Order, how: How): Promise<Training>;
  /** One completion for each prompt, in their order, with temperature 0. */
  answer(weights: Uint8Array, prompts: readonly string[], how: Pick<How, 'signal'>): Promise<string[]>;
}

export interface Order {
  readonly baseModel: string;
  readonly train: Train;
  readonly files: Workspace;
  /** Of training, after which it is ended. */
  readonly seconds: number;
}

interface How {
  readonly signal: AbortSignal;
  readonly onStep?: (step: TrainingStep) => void;
}

/** The same order gives the same weights, in whatever process. */
export interface Training {
  /** As safetensors; null: the job could not be run to its end, by its own fault. */
  readonly weights: Uint8Array | null;
  readonly fault: Failure | null;
  readonly curve: readonly TrainingStep[];
  /** Of the training alone. */
  readonly seconds: number;
}
