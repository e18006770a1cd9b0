// From logits to log-probabilities, and from slopes of a loss at log-probabilities back to slopes at logits.
import { backward } from './backward.ts';
import type { Block, Engine } from './engine.ts';
import { forward, type Model } from './model.ts';
import { type Group, pack, type Target } from './pack.ts';
import type { Tensors } from './tensors.ts';

const SMALLEST = 1e-30; // a probability that float32 rounds to 0 still has a logarithm

/** Natural logarithm of a probability. */
export function logOf(probability: number): number {
  return Math.log(Math.max(probability, SMALLEST));
}

/** Turns logits [rows, tokens] into probabilities at a temperature; returns each row's entropy in nats. */
export function toProbabilities(engine: Engine, logits: Block, temperature: number): number[] {
  const stats = engine.block(logits.rows, 2);
  engine.kernels.softmaxRows(logits.at, stats.at, logits.rows, logits.columns, 1 / temperature);
  const values = engine.values(stats);
  // H = -sum p (z - max - log sum) with z - max averaged by the kernel
  return Array.from({ length: logits.rows }, (_, row) => logOf(values[2 * row] ?? 1) - (values[2 * row + 1] ?? 0));
}

/** Log-probabilities in nats by [group][completion][token]. */
export function score(model: Model, groups: readonly Group[], temperature: number): number[][][] {
  const { engine } = model;
  return engine.scratch(() => {
    const { heads, rows, targets } = pack(groups);
    const { logits } = forward(model, { heads, rows, targets });
    toProbabilities(engine, logits, temperature);
    const values = engine.values(logits);
    const result = groups.map(({ completions }) => completions.map((): number[] => []));
    for (const { group, completion, token, row } of targets) {
      result[group]?.[completion]?.push(logOf(values[row * logits.columns + token] ?? 0));
    }
    return result;
  });
}

/** d loss / d logprob of a token, given its logprob now. */
type Slope = (target: Target, logprob: number) => number;

export type Lesson = { groups: readonly Group[]; temperature: number; slope: Slope };

/** Adds the gradient of a loss of log-probabilities to `gradient`; returns the sum of the tokens' entropies. */
export function learn(model: Model, gradient: Tensors, { groups, temperature, slope }: Lesson): number {
  const { engine } = model;
  return engine.scratch(() => {
    const packed = pack(groups);
    const trace = forward(model, packed);
    const { logits } = trace;
    const entropies = toProbabilities(engine, logits, temperature);
    const probabilities = engine.values(logits);
    const slopes = packed.targets.map((target) => {
      const probability = probabilities[target.row * logits.columns + target.token] ?? 0;
      return slope(target, logOf(probability)) / temperature;
    });
    slopeOfLogits(probabilities, packed.targets, { slopes, columns: logits.columns });
    backward(model, gradient, { trace, dlogits: logits, heads: packed.heads });
    return packed.targets.reduce((sum, { row }) => sum + (entropies[row] ?? 0), 0);
  });
}

type Sloped = { slopes: readonly number[]; columns: number };

// In place: d logprob(t) / d logit = [t] - p, so a row becomes sum over its targets of slope ([t] - p).
function slopeOfLogits(values: Float32Array, targets: readonly Target[], { slopes, columns }: Sloped): void {
  const totals = new Float64Array(values.length / columns);
  targets.forEach(({ row }, i) => {
    totals[row] = (totals[row] ?? 0) + (slopes[i] ?? 0);
  });
  for (let i = 0; i < values.length; i++) values[i] = -(values[i] ?? 0) * (totals[Math.floor(i / columns)] ?? 0);
  targets.forEach(({ row, token }, i) => {
    const at = row * columns + token;
    values[at] = (values[at] ?? 0) + (slopes[i] ?? 0);
  });
}
