import test from 'ava';
import type { Block, Engine } from '../../runtime/micro/engine.ts';
import { refresh } from '../../runtime/micro/model.ts';
import { promptTokens } from '../../runtime/micro/pack.ts';
import { normal, stream } from '../../runtime/micro/rng.ts';
import { type Completion, type SampleOptions, sample } from '../../runtime/micro/sample.ts';
import { learn, score } from '../../runtime/micro/score.ts';
import { named } from '../../runtime/micro/tensors.ts';
import { finish, groups, smallModel, words } from './small.ts';

const TEMPERATURE = 0.8;
// any weights will do for a loss that is a weighted sum of log-probabilities, as long as they differ
const weightOf = (...at: number[]): number => Math.sin(at.reduce((sum, index) => 3.7 * sum + index, 1));

type Nudge = { engine: Engine; block: Block; direction: readonly number[] };

function nudged<T>({ engine, block, direction }: Nudge, by: number, work: () => T): T {
  const saved = engine.values(block).slice();
  engine.values(block).set(saved.map((value, i) => value + by * (direction[i] ?? 0)));
  const result = work();
  engine.values(block).set(saved);
  return result;
}

test('the gradient of every tensor is the finite difference of the loss', (t) => {
  const model = smallModel(1);
  const { engine, weights, gradient } = model;
  const loss = (): number => {
    refresh(model);
    const weighted = score(model, groups, TEMPERATURE).flatMap((group, i) =>
      group.flatMap((logprobs, j) => logprobs.map((logprob, k) => weightOf(i, j, k) * logprob)),
    );
    return weighted.reduce((sum, term) => sum + term, 0);
  };
  const slope = ({ group, completion, at }: { group: number; completion: number; at: number }) =>
    weightOf(group, completion, at);
  learn(model, gradient, { groups, temperature: TEMPERATURE, slope });
  const gradients = new Map(named(gradient));
  for (const [name, block] of named(weights)) {
    const own = [...engine.values(gradients.get(name) ?? block)];
    for (const seed of [1, 2, 3]) {
      const rng = stream(seed, block.at);
      const raw = own.map((value) => (value === 0 ? 0 : normal(rng)));
      const length = Math.hypot(...raw);
      const direction = raw.map((value) => value / length);
      const expected = direction.reduce((sum, value, i) => sum + value * (own[i] ?? 0), 0);
      const step = 1e-2;
      const nudge = { engine, block, direction };
      const measured = (nudged(nudge, step, loss) - nudged(nudge, -step, loss)) / (2 * step);
      const scale = Math.hypot(...own) / Math.sqrt(own.length);
      t.true(Math.abs(measured - expected) < 0.01 * scale + 1e-3, `${name}: ${expected} but measured ${measured}`);
    }
  }
});

const options: SampleOptions = { temperature: TEMPERATURE, maxTokens: 12 };
const requestsOf = (some: readonly string[]) =>
  some.map((word) => ({
    prompt: promptTokens(`${word}>`),
    rngs: [0, 1, 2].map((i) => stream(9, words.indexOf(word), i)),
  }));

test('log-probabilities at sampling are those at training to 1e-4', (t) => {
  const model = smallModel(2);
  const drawn: Completion[][] = finish(sample(model, requestsOf(words), options));
  const completions = drawn.map((group) => group.map(({ tokens }) => tokens));
  const learned = score(
    model,
    words.map((word, i) => ({ prompt: promptTokens(`${word}>`), completions: completions[i] ?? [] })),
    TEMPERATURE,
  );
  const atSampling = drawn.flat().flatMap(({ logprobs }) => logprobs);
  const atTraining = learned.flat(2);
  t.is(atSampling.length, atTraining.length);
  t.true(atSampling.length > 100);
  for (const [i, logprob] of atSampling.entries()) t.true(Math.abs(logprob - (atTraining[i] ?? 0)) < 1e-4);
});

test('greedy sampling with the cache equals choosing the best token from the whole text each time', (t) => {
  const model = smallModel(3);
  const requests = requestsOf(words).map(({ prompt, rngs }) => ({ prompt, rngs: rngs.slice(0, 1) }));
  const drawn: Completion[][] = finish(sample(model, requests, { temperature: 0, maxTokens: 8 }));
  for (const [i, { prompt }] of requests.entries()) {
    const tokens: number[] = [];
    while (tokens.length < 8 && tokens.at(-1) !== 0) {
      const tries = Array.from({ length: 96 }, (_, token) => [...tokens, token]);
      const [scores] = score(model, [{ prompt, completions: tries }], 1);
      const last = (scores ?? []).map((logprobs) => logprobs.at(-1) ?? 0);
      tokens.push(last.indexOf(Math.max(...last)));
    }
    t.deepEqual(drawn[i]?.[0]?.tokens, tokens);
  }
});

test('a completion does not depend on the prompts beside it', (t) => {
  const model = smallModel(4);
  const together: Completion[][] = finish(sample(model, requestsOf(words), options));
  for (const [i, word] of words.entries()) {
    const [alone]: Completion[][] = finish(sample(model, requestsOf([word]), options));
    t.deepEqual(alone, together[i]);
  }
});

test('a completion ends at its boundary, at max tokens, or where the context is full', (t) => {
  const model = smallModel(5);
  const prompt = promptTokens('a'.repeat(60));
  const rngs = Array.from({ length: 40 }, (_, i) => stream(i));
  const [drawn = []]: Completion[][] = finish(sample(model, [{ prompt, rngs }], { temperature: 1, maxTokens: 30 }));
  for (const { tokens } of drawn) {
    const end = tokens.indexOf(0);
    t.is(tokens.length, end === -1 ? 4 : end + 1);
  }
  t.throws(() => promptTokens('a'.repeat(64)), { message: /at most 63 characters/ });
  t.throws(() => promptTokens('naïve>'), { message: /printable ASCII only; "naïve>" has "ï"/ });
});
