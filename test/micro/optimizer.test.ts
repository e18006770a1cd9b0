import test from 'ava';
import { Engine } from '../../runtime/micro/engine.ts';
import { muon } from '../../runtime/micro/muon.ts';
import { adamw, defaults } from '../../runtime/micro/optimizer.ts';
import { normal, stream } from '../../runtime/micro/rng.ts';
import { matrices, tensors } from '../../runtime/micro/tensors.ts';

test('AdamW takes the steps of its paper, the gradient clipped to its norm', (t) => {
  const engine = new Engine();
  const [values, gradient] = [engine.zeros(1, 4), engine.zeros(1, 4)];
  engine.values(values).set([1, -1, 0.5, 0]);
  const expected = [1, -1, 0.5, 0];
  const [mean, square] = [
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ];
  const step = adamw(engine, values, { ...defaults, weightDecay: 0.1 });
  const gradients = [
    [3, 0, -4, 0],
    [0.1, 0.2, 0, 0],
    [0, -0.5, 0.5, 1e-3],
  ];
  for (const [i, raw] of gradients.entries()) {
    engine.values(gradient).set(raw);
    const norm = Math.hypot(...raw);
    t.true(Math.abs(step(gradient, 0.01) - norm) < 1e-6);
    for (const [k, value] of raw.entries()) {
      const g = value / Math.max(1, norm);
      mean[k] = 0.9 * (mean[k] ?? 0) + 0.1 * g;
      square[k] = 0.999 * (square[k] ?? 0) + 0.001 * g * g;
      const move =
        (mean[k] ?? 0) / (1 - 0.9 ** (i + 1)) / (Math.sqrt((square[k] ?? 0) / (1 - 0.999 ** (i + 1))) + 1e-8);
      expected[k] = (expected[k] ?? 0) - 0.01 * (move + 0.1 * (expected[k] ?? 0));
    }
    engine.values(values).forEach((value, k) => {
      t.true(Math.abs(value - (expected[k] ?? 0)) < 1e-5, `${value} ${expected[k]}`);
    });
  }
});

test('a gradient that is not finite stops the run before it reaches the weights', (t) => {
  const engine = new Engine();
  const [values, gradient] = [engine.zeros(1, 4), engine.zeros(1, 4)];
  const step = adamw(engine, values);
  engine.values(gradient).set([0, Number.NaN, 0, 0]);
  t.throws(() => step(gradient, 1), { message: "the run diverged: the gradient's norm is NaN" });
  t.deepEqual([...engine.values(values)], [0, 0, 0, 0]);
});

test('Muon moves each matrix by one whose rows or columns are nearly orthonormal', (t) => {
  const engine = new Engine();
  const shape = { width: 16, layers: 1 };
  const [weights, gradients] = [tensors(engine, shape), tensors(engine, shape)];
  const rng = stream(1);
  engine.values(gradients.all).set(engine.values(gradients.all).map(() => normal(rng)));
  muon(engine, weights.layers)(gradients.layers, 1);
  for (const name of matrices) {
    const block = weights.layers[0]?.[name];
    if (!block) return t.fail(name);
    const scale = Math.sqrt(Math.max(1, block.columns / block.rows));
    const energy = engine.values(block).reduce((sum, value) => sum + (value / scale) ** 2, 0);
    // the squares of 16 singular values, which five iterations bring between 0.7 and 1.2
    t.true(energy > 16 * 0.6 && energy < 16 * 1.3, `${name}: ${energy}`);
  }
});
