// Muon (Jordan 2024): momentum whose update of each matrix is made orthogonal. Used to make the base models, where it
// needs about half the steps of AdamW to the same loss.
import type { Block, Engine } from './engine.ts';
import { type Layer, matrices } from './tensors.ts';

const MOMENTUM = 0.95;
// The quintic a x + b x^3 + c x^5, which drives singular values towards 1 (coefficients of the reference).
const [A, B, C] = [3.4445, -4.775, 2.0315];
const ITERATIONS = 5;

/** Moves the matrices of all layers against their gradients, which it overwrites. */
export type Muon = (gradients: readonly Layer[], learningRate: number) => void;

export function muon(engine: Engine, weights: readonly Layer[]): Muon {
  const pairs = (other: readonly Layer[]) =>
    weights.flatMap((layer, i) => matrices.map((name) => ({ weight: layer[name], other: other[i]?.[name] })));
  const averages = pairs([]).map(({ weight }) => engine.zeros(weight.rows, weight.columns));
  return (gradients, learningRate) => {
    pairs(gradients).forEach(({ weight, other: gradient }, i) => {
      const average = averages[i];
      if (gradient && average) engine.scratch(() => move(engine, { weight, gradient, average }, learningRate));
    });
  };
}

type Matrix = { weight: Block; gradient: Block; average: Block };

function move(engine: Engine, { weight, gradient, average }: Matrix, learningRate: number): void {
  addTo(engine, average, { to: MOMENTUM, from: 1, source: gradient });
  addTo(engine, gradient, { to: 1, from: MOMENTUM, source: average }); // Nesterov
  const update = orthogonal(engine, gradient);
  // a wider output needs a larger step for the same change of each of its values
  const step = learningRate * Math.sqrt(Math.max(1, weight.columns / weight.rows));
  addTo(engine, weight, { to: 1, from: -step, source: update });
}

/** About U V^T of the singular value decomposition U S V^T (Newton and Schulz). */
function orthogonal(engine: Engine, matrix: Block): Block {
  const tall = matrix.rows > matrix.columns;
  let x = tall ? flipped(engine, matrix) : engine.copy(matrix);
  const norm = Math.sqrt(engine.kernels.sumOfSquares(x.at, x.rows * x.columns));
  addTo(engine, x, { to: 1 / (norm + 1e-12), from: 0, source: x });
  for (let i = 0; i < ITERATIONS; i++) {
    const square = engine.product(x, flipped(engine, x));
    const factor = engine.product(square, square);
    addTo(engine, factor, { to: C, from: B, source: square });
    const next = engine.product(factor, x);
    addTo(engine, next, { to: 1, from: A, source: x });
    x = next;
  }
  return tall ? flipped(engine, x) : x;
}

function flipped(engine: Engine, matrix: Block): Block {
  const result = engine.block(matrix.columns, matrix.rows);
  engine.transpose(matrix, result);
  return result;
}

/** target = to target + from source. */
function addTo(engine: Engine, target: Block, { to, from, source }: { to: number; from: number; source: Block }): void {
  const [values, added] = [engine.values(target), engine.values(source)];
  for (let i = 0; i < values.length; i++) values[i] = to * (values[i] ?? 0) + from * (added[i] ?? 0);
}
