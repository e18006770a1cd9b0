// How fast a GRPO step is, and how near to the best that the kernels can do on this machine at this moment. Others may
// use the same cores, so every figure is a median, and the matrix products are timed between the steps.
// Run: npm run micro:bench
import { readFile } from 'node:fs/promises';
import { trainConfig } from './config.ts';
import { Engine } from './engine.ts';
import { operations, promptOf, randomWord } from './operations.ts';
import { stream, streams } from './rng.ts';
import { readSafetensors } from './safetensors.ts';
import { makePolicy, type Policy, type Rewarded, rollOut, update } from './step.ts';
import { decode } from './vocabulary.ts';

const WARMUP = 20; // steps until the engine's code is optimized
const STEPS = 60;
// Square products, and the shapes [rows, columns, depth] of the model's own.
const PRODUCTS = [
  [256, 256, 256],
  [128, 128, 128],
  [160, 256, 64],
  [160, 64, 256],
  [64, 192, 64],
] as const;

type Timed = { sampling: number; update: number; flops: number; tokens: number };

function finish<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

function measureStep(policy: Policy, step: number): Timed {
  const { engine } = policy.model;
  const rng = stream(policy.config.seed, streams.prompts, step);
  const words = Array.from({ length: policy.config.groups_per_step }, () => randomWord(rng));
  const flops = engine.flops;
  const began = performance.now();
  const rollouts = finish(rollOut(policy, words.map(promptOf), step));
  const sampled = performance.now();
  const rewarded = rollouts.map((group, i): Rewarded => {
    const answer = operations.reverse(words[i] ?? '');
    return { ...group, rewards: group.completions.map(({ tokens }) => (decode(tokens) === answer ? 1 : 0)) };
  });
  const { tokens } = finish(update(policy, rewarded));
  const ended = performance.now();
  return { sampling: sampled - began, update: ended - sampled, flops: engine.flops - flops, tokens };
}

/** GFLOP/s of one product, from about a millisecond of them. */
function measureProduct(engine: Engine, [rows, columns, depth]: (typeof PRODUCTS)[number]): number {
  return engine.scratch(() => {
    const [a, b] = [engine.zeros(rows, depth), engine.zeros(depth, columns)];
    const out = engine.block(rows, columns);
    const flops = 2 * rows * columns * depth;
    const times = Math.ceil(3e7 / flops);
    const began = performance.now();
    for (let i = 0; i < times; i++) engine.multiply({ a, b, out });
    return (flops * times) / (performance.now() - began) / 1e6;
  });
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((x, y) => x - y)[Math.floor(numbers.length / 2)] ?? 0;
}

const base = readSafetensors(await readFile(new URL('./bases/micro-m.safetensors', import.meta.url)));
const policy = makePolicy(base, trainConfig.parse({}));
const engine = new Engine();
const steps: Timed[] = [];
const rates: number[][] = PRODUCTS.map(() => []);
for (let i = 0; i < WARMUP + STEPS; i++) {
  const step = measureStep(policy, i);
  const now = PRODUCTS.map((product) => measureProduct(engine, product));
  if (i < WARMUP) continue;
  steps.push(step);
  for (const [k, rate] of now.entries()) rates[k]?.push(rate);
}
const best = Math.max(...rates.map(median));
const stepMs = median(steps.map((step) => step.sampling + step.update));
const gflops = median(steps.map(({ sampling, update: updating, flops }) => flops / (sampling + updating) / 1e6));
const digits = (value: number): number => Number(value.toFixed(2));
const result = {
  stepMs: digits(stepMs),
  samplingMs: digits(median(steps.map((step) => step.sampling))),
  updateMs: digits(median(steps.map((step) => step.update))),
  tokensPerStep: median(steps.map((step) => step.tokens)),
  megaflopPerStep: digits(median(steps.map((step) => step.flops)) / 1e6),
  gflopsInStep: digits(gflops),
  gflopsOfProducts: Object.fromEntries(PRODUCTS.map((shape, i) => [shape.join('x'), digits(median(rates[i] ?? []))])),
  shareOfBest: digits(gflops / best),
};
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
