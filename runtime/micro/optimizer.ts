// AdamW with the gradient's norm clipped, over one stretch of memory.
import { Diverged } from './diverged.ts';
import type { Block, Engine } from './engine.ts';

/** beta1, beta2 and epsilon as in Adam (Kingma & Ba 2015); no weight decay: a run is too short to need one. */
export const defaults = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, maxNorm: 1 } as const;
export type OptimizerOptions = { [name in keyof typeof defaults]: number };

/** Moves the values against the gradient; returns the gradient's norm before it was clipped to `maxNorm`. */
export type Optimizer = (gradient: Block, learningRate: number) => number;

export function adamw(engine: Engine, values: Block, options: OptimizerOptions = defaults): Optimizer {
  const { beta1, beta2, epsilon, weightDecay, maxNorm } = options;
  const floats = values.rows * values.columns;
  const [mean, square, hyper] = [engine.zeros(1, floats), engine.zeros(1, floats), engine.zeros(1, 8)];
  let steps = 0;
  return (gradient, learningRate) => {
    const norm = Math.sqrt(engine.kernels.sumOfSquares(gradient.at, floats));
    if (!Number.isFinite(norm)) throw new Diverged(`the run diverged: the gradient's norm is ${norm}`);
    steps++;
    const factor = norm > maxNorm ? maxNorm / norm : 1;
    const corrections = [1 / (1 - beta1 ** steps), 1 / (1 - beta2 ** steps)];
    engine.values(hyper).set([learningRate, beta1, beta2, epsilon, weightDecay, factor, ...corrections]);
    engine.kernels.adamw(values.at, gradient.at, mean.at, square.at, hyper.at, floats);
    return norm;
  };
}
