import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import type { Train } from '#protocol/workspace';
import type { TrainingStep } from '../../protocol/training.ts';
import { operations, promptOf, randomWord } from '../../runtime/micro/operations.ts';
import { type Rng, stream } from '../../runtime/micro/rng.ts';
import { readSafetensors, writeSafetensors } from '../../runtime/micro/safetensors.ts';
import { generate, type TrainJob, train } from '../../runtime/micro/train.ts';
import type { Weights } from '../../runtime/micro/weights.ts';
import { smallWeights } from './small.ts';

const bases = new URL('../../runtime/micro/bases/', import.meta.url);
const prompts = (rng: Rng, n: number) => Array.from({ length: n }, () => promptOf(randomWord(rng)));
const quick: Partial<Train> = { steps: 3, groups_per_step: 3, group_size: 4, max_tokens: 6, seed: 5 };

function smallJob(config: Partial<Train> = {}): TrainJob {
  const reward = (_: string, completion: string) => (completion.match(/[a-z]/g) ?? []).length / 6;
  return { base: smallWeights(1), config: { ...quick, ...config }, prompts, reward };
}

const bits = (weights: Weights): string => Buffer.from(writeSafetensors(weights)).toString('base64');

test('the same seed gives the same bits, another seed others', async (t) => {
  const runs = [await train(smallJob()), await train(smallJob()), await train(smallJob({ seed: 6 }))];
  const [first, second, other] = runs.map(({ weights }) => bits(weights));
  t.is(first, second);
  t.not(first, other);
  const untimed = runs.map(({ curve }) => curve.map(({ seconds: _, ...record }) => record));
  t.deepEqual(untimed[0], untimed[1]);
});

test('the base is not changed, and every step is reported once, as it ends', async (t) => {
  const job = smallJob();
  const before = bits(job.base);
  const seen: TrainingStep[] = [];
  const { weights, adapter, curve } = await train(job, { onProgress: (record) => seen.push(record) });
  t.is(bits(job.base), before);
  t.not(bits(weights), before);
  t.is(adapter, null);
  t.deepEqual(seen, curve);
  t.deepEqual(
    curve.map(({ step }) => step),
    [1, 2, 3],
  );
  for (const { reward, loss, entropy, kl, tokens, seconds } of curve) {
    t.true(reward >= 0 && reward <= 1 && Number.isFinite(loss) && seconds > 0);
    t.true(entropy > 0 && entropy <= Math.log(96) && kl >= 0 && tokens > 0);
  }
  t.true((curve[0]?.kl ?? 1) < 1e-9, 'the first policy is the base');
});

test('equal rewards leave the weights alone', async (t) => {
  const job = { ...smallJob(), reward: () => 1 };
  t.is(bits((await train(job)).weights), bits(job.base));
});

test('an adapter changes the matrices alone, by twice the product of its two factors', async (t) => {
  const job = smallJob({ lora_rank: 3 });
  const { weights, adapter } = await train(job);
  t.is(adapter?.size, 16);
  for (const [name, { shape, data }] of job.base) {
    const [a, b] = [adapter?.get(`${name}.lora_A`), adapter?.get(`${name}.lora_B`)];
    if (name === 'embedding' || name === 'position') {
      t.deepEqual(weights.get(name)?.data, data);
      continue;
    }
    const [rows = 0, columns = 0] = shape;
    t.deepEqual(
      [a?.shape, b?.shape],
      [
        [3, rows],
        [3, columns],
      ],
    );
    t.true(b?.data.some((value) => value !== 0));
    const expected = data.map((value, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      const terms = [0, 1, 2].map((r) => (a?.data[r * rows + row] ?? 0) * (b?.data[r * columns + column] ?? 0));
      return value + 2 * terms.reduce((sum, term) => sum + term, 0);
    });
    const far = weights.get(name)?.data.some((value, i) => Math.abs(value - (expected[i] ?? 0)) > 1e-5);
    t.false(far, name);
  }
});

test('the divergence in the loss keeps a policy nearer to its base', async (t) => {
  const last = async (kl_coef: number) =>
    (await train(smallJob({ steps: 12, learning_rate: 5e-3, kl_coef }))).curve.at(-1);
  const [free, held] = [await last(0), await last(10)];
  t.true((held?.kl ?? 1) < (free?.kl ?? 0) / 2, `${held?.kl} against ${free?.kl}`);
});

test.serial('an abort stops a run of minutes at once, also while it samples', async (t) => {
  const big: Partial<Train> = { steps: 1000, groups_per_step: 64, group_size: 32, max_tokens: 48 };
  for (const wait of [20, 400]) {
    const abort = new AbortController();
    const run = train(smallJob(big), { signal: abort.signal });
    const ended = run.then(
      () => t.fail('it ran to its end'),
      (reason) => t.is(reason, abort.signal.reason),
    );
    await setTimeout(wait);
    const began = performance.now();
    abort.abort();
    await ended;
    t.true(performance.now() - began < 2_000);
  }
});

test.serial('an abort does not wait for a reward that never comes', async (t) => {
  const abort = new AbortController();
  const run = train({ ...smallJob(), reward: () => new Promise(() => {}) }, { signal: abort.signal });
  setImmediate(() => abort.abort());
  t.is(await run.catch((reason: unknown) => reason), abort.signal.reason);
});

test('the event loop is served while a run works', async (t) => {
  let turns = 0;
  let counting = setImmediate(function count() {
    turns++;
    counting = setImmediate(count);
  });
  await train(smallJob({ steps: 6, group_size: 16 }));
  clearImmediate(counting);
  t.true(turns > 6, `${turns} turns in 6 steps`);
});

test('a job that breaks its promises fails with a sentence', async (t) => {
  const fails = (job: Partial<TrainJob>) => train({ ...smallJob(), ...job });
  await t.throwsAsync(fails({ prompts: () => ['a>'] }), { message: 'prompts(rng, 3) gave 1 prompts' });
  await t.throwsAsync(fails({ reward: () => Number.NaN }), { message: /^reward\(".*>", ".*"\) is NaN$/ });
  await t.throwsAsync(fails({ config: { learning_rate: -1 } }), { message: /learning_rate/ });
  await t.throwsAsync(fails({ prompts: () => ['é>', 'b>', 'c>'] }), { message: /printable ASCII only/ });
});

test('25 steps on one operation lift its accuracy on words never trained on', async (t) => {
  const base = readSafetensors(await readFile(new URL('micro-m.safetensors', bases)));
  const operation = operations.shift;
  const reward = (prompt: string, completion: string) => (completion === operation(prompt.slice(0, -1)) ? 1 : 0);
  const held = prompts(stream(99), 100);
  const accuracy = async (weights: Weights) => {
    const completions = await generate(weights, held, { temperature: 0, maxTokens: 12, seed: 0 });
    return completions.filter((completion, i) => reward(held[i] ?? '', completion) === 1).length / held.length;
  };
  const before = await accuracy(base);
  const { weights, curve } = await train({ base, config: { seed: 3 }, prompts, reward });
  const after = await accuracy(weights);
  t.true(before < 0.3 && after > 0.7, `${before} became ${after}`);
  t.true((curve.at(-1)?.reward ?? 0) > (curve[0]?.reward ?? 1) + 0.3);
});
