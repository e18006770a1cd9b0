// How fast a GRPO step is, and how near to the best that the kernels can do on this machine at this moment: 8 groups of
// 8 completions of 12 tokens, the 64 x 2 model, one thread. Others may use the same cores, so every figure is a median,
// the matrix products are timed between the steps, and processor time is given beside the clock's: the share of the
// best rate is a ratio of processor times. The weights are untrained, so that every completion has its full length.
// Run: npm run micro:bench
import { train as trainConfig } from '#protocol/workspace';
import { Engine } from './engine.ts';
import { promptOf, randomWord } from './operations.ts';
import { stream, streams } from './rng.ts';
import { makePolicy, type Policy, type Rewarded, rollOut, update } from './step.ts';
import { bases } from './tensors.ts';
import { untrained } from './weights.ts';

const WARMUP = 30; // steps until the engine's code is optimized
const STEPS = 60;
const PRODUCT_FLOPS = 1e8; // per timed product: a few milliseconds
// Square products, and the shapes [rows, columns, depth] of the model's own.
const PRODUCTS = [
  [256, 256, 256],
  [128, 128, 128],
  [160, 256, 64],
  [160, 64, 256],
  [64, 192, 64],
] as const;

/** Milliseconds by the clock and of the processor. */
type Time = { wall: number; cpu: number };
type Timed = { sampling: Time; update: Time; flops: number; tokens: number };

function timed<T>(work: () => T): { result: T; time: Time } {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  const result = work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, time: { wall: performance.now() - wall, cpu: (user + system) / 1000 } };
}

function finish<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

function measureStep(policy: Policy, step: number): Timed {
  const { engine } = policy.model;
  const rng = stream(policy.config.seed, streams.prompts, step);
  const prompts = Array.from({ length: policy.config.groups_per_step }, () => promptOf(randomWord(rng)));
  const flops = engine.flops;
  const { result: rollouts, time: sampling } = timed(() => finish(rollOut(policy, prompts, step)));
  const rewarded = rollouts.map((group): Rewarded => {
    // more odd tokens are better, so that training does not shorten the completions
    const rewards = group.completions.map(({ tokens }) => tokens.filter((token) => token % 2 === 1).length / 12);
    return { ...group, rewards };
  });
  const { result, time } = timed(() => finish(update(policy, rewarded)));
  return { sampling, update: time, flops: engine.flops - flops, tokens: result.tokens };
}

/** GFLOP per second of processor time. */
function measureProduct(engine: Engine, [rows, columns, depth]: (typeof PRODUCTS)[number]): number {
  return engine.scratch(() => {
    const [a, b] = [engine.zeros(rows, depth), engine.zeros(depth, columns)];
    const out = engine.block(rows, columns);
    const flops = 2 * rows * columns * depth;
    const times = Math.ceil(PRODUCT_FLOPS / flops);
    const { time } = timed(() => {
      for (let i = 0; i < times; i++) engine.multiply({ a, b, out });
    });
    return (flops * times) / time.cpu / 1e6;
  });
}

function median(numbers: readonly number[]): number {
  const middle = numbers.toSorted((x, y) => x - y)[Math.floor(numbers.length / 2)] ?? 0;
  return Number(middle.toFixed(2));
}

const policy = makePolicy(untrained(bases['micro-m'], stream(1)), trainConfig.parse({ max_tokens: 12 }));
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
const figures = (kind: keyof Time) => ({
  step: median(steps.map(({ sampling, update: updating }) => sampling[kind] + updating[kind])),
  sampling: median(steps.map(({ sampling }) => sampling[kind])),
  update: median(steps.map(({ update: updating }) => updating[kind])),
});
const gflops = median(
  steps.map(({ sampling, update: updating, flops }) => flops / (sampling.cpu + updating.cpu) / 1e6),
);
const result = {
  wallMs: figures('wall'),
  processorMs: figures('cpu'),
  tokensPerStep: median(steps.map(({ tokens }) => tokens)),
  megaflopPerStep: median(steps.map(({ flops }) => flops / 1e6)),
  gflopsInStep: gflops,
  gflopsOfProducts: Object.fromEntries(PRODUCTS.map((shape, i) => [shape.join('x'), median(rates[i] ?? [])])),
  shareOfBest: median([gflops / Math.max(...rates.map(median))]),
};
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
