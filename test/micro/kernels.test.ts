import { readFileSync } from 'node:fs';
import test from 'ava';
import { SOURCE_SECTION, sourceHash } from '../../runtime/micro/compile.ts';
import { Engine } from '../../runtime/micro/engine.ts';
import { normal, stream, whole } from '../../runtime/micro/rng.ts';

const binary = readFileSync(new URL('../../runtime/micro/kernels.wasm', import.meta.url));
const random = (count: number, seed: number) => {
  const rng = stream(seed);
  return Float32Array.from({ length: count }, () => normal(rng));
};

test('the kernels binary was compiled from the sources beside it', (t) => {
  const module = new WebAssembly.Module(binary);
  const [section = new ArrayBuffer(0)] = WebAssembly.Module.customSections(module, SOURCE_SECTION);
  t.is(Buffer.from(section).toString(), sourceHash(), 'run npm run micro:kernels');
});

test('the binary exports every kernel that the engine names', (t) => {
  const { kernels } = new Engine();
  const names = ['activate', 'activateBackward', 'adamw', 'attend', 'attendBackward', 'embed', 'embedBackward'];
  names.push('matmul', 'matmulTransposed', 'norm', 'normBackward', 'softmaxRows', 'sumOfSquares', 'transpose');
  t.deepEqual(
    Object.keys(kernels)
      .filter((name) => name !== 'memory')
      .toSorted(),
    names,
  );
});

test('a product is the sum of products, whatever the number of rows', (t) => {
  const rng = stream(1);
  for (let rows = 1; rows <= 9; rows++) {
    const [depth, columns] = [1 + whole(rng, 40), 8 * (1 + whole(rng, 6))];
    const engine = new Engine();
    const [a, flipped, b] = [engine.block(rows, depth), engine.block(depth, rows), engine.block(depth, columns)];
    engine.values(a).set(random(rows * depth, rows));
    engine.values(b).set(random(depth * columns, -rows));
    engine.transpose(a, flipped);
    const [left, right] = [engine.values(a).slice(), engine.values(b).slice()];
    const out = engine.product(a, b);
    engine.multiplyTransposed({ a: flipped, b, out, add: true });
    engine.values(out).forEach((value, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      let sum = 0;
      for (let k = 0; k < depth; k++) sum += (left[row * depth + k] ?? 0) * (right[k * columns + column] ?? 0);
      t.true(Math.abs(value - 2 * sum) < 1e-4);
    });
  }
});

test('shapes that do not fit are refused before the kernel runs', (t) => {
  const engine = new Engine();
  const [a, b, out] = [engine.block(2, 3), engine.block(4, 8), engine.block(2, 8)];
  t.throws(() => engine.multiply({ a, b, out }), { message: 'no matrix product has the shapes 2x3, 4x8, 2x8' });
  t.throws(() => engine.product(a, engine.block(3, 6)), { message: /2x3, 3x6, 2x6/ });
});

test('softmax is that of float64 to 1e-6, for logits of any size', (t) => {
  const engine = new Engine();
  const [rows, columns] = [5, 96];
  const [block, stats] = [engine.block(rows, columns), engine.block(rows, 2)];
  const logits = random(rows * columns, 3).map((value, i) => value * 10 ** (Math.floor(i / columns) - 1));
  engine.values(block).set(logits);
  engine.kernels.softmaxRows(block.at, stats.at, rows, columns, 0.5);
  for (let row = 0; row < rows; row++) {
    const scaled = [...logits.subarray(row * columns, (row + 1) * columns)].map((value) => value * 0.5);
    const top = Math.max(...scaled);
    const total = scaled.reduce((sum, value) => sum + Math.exp(value - top), 0);
    const got = engine.values(block).subarray(row * columns, (row + 1) * columns);
    for (const [i, value] of scaled.entries()) {
      t.true(Math.abs((got[i] ?? 0) - Math.exp(value - top) / total) < 1e-6);
    }
  }
});

test('memory grows under a block without losing the others', (t) => {
  const engine = new Engine();
  const first = engine.block(1, 4);
  engine.values(first).set([1, 2, 3, 4]);
  engine.zeros(1000, 10_000);
  t.deepEqual([...engine.values(first)], [1, 2, 3, 4]);
});
