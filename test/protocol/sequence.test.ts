import test from 'ava';
import fc from 'fast-check';
import { type Captured, sampledAfter, sequencesOf } from '#protocol/sequence';
import type { Sampled } from '#protocol/transcript';

const token = fc.nat(5);
const tokens = fc.array(token, { maxLength: 6 });

/** A move as an endpoint gives it: its prompt goes on where the last one ended, or begins anew, or nothing is given. */
const step = fc.record({
  given: fc.boolean(),
  anew: fc.boolean(),
  more: tokens,
  completion: fc.array(token, { minLength: 1, maxLength: 5 }),
});

function play(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) {
  const moves: { sampled: Sampled | null }[] = [];
  const answers: Captured[] = [];
  let so: number[] = [];
  for (const { given, anew, more, completion } of steps) {
    const prompt = [...(anew ? [] : so), 9, ...more];
    const logprobs = completion.map((one, at) => -(one + 1) / (at + 2));
    so = [...prompt, ...completion];
    moves.push({ sampled: given ? sampledAfter(moves, { prompt, completion, logprobs }) : null });
    if (given) answers.push({ prompt, completion, logprobs });
  }
  return { moves, answers };
}

/** The moves before the so-manyth answer. */
const answersBefore = (moves: readonly { sampled: Sampled | null }[], at: number) =>
  moves.filter(({ sampled }) => sampled !== null).slice(0, at);

test('merging and splitting loses and invents nothing', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const { moves, answers } = play(steps);
      const sequences = sequencesOf(moves);
      for (const { tokens: all, logprobs, mask } of sequences) {
        t.true(all.length === logprobs.length && all.length === mask.length);
        for (const [at, sampled] of mask.entries()) if (!sampled) t.is(logprobs[at], 0);
      }
      // 1. what was sampled is there once, in order, with its log-probability
      const sampled = sequences.flatMap(({ tokens: all, logprobs, mask }) =>
        all.flatMap((one, at) => (mask[at] ? [[one, logprobs[at]]] : [])),
      );
      t.deepEqual(
        sampled,
        answers.flatMap(({ completion, logprobs }) => completion.map((one, at) => [one, logprobs[at]])),
      );
      // 2. before each answer stands exactly the prompt that it was sampled after
      const text = sequences.map(({ tokens: all }) => all.join(','));
      for (const { prompt, completion } of answers)
        t.true(text.some((all) => `${all},`.startsWith(`${[...prompt, ...completion].join(',')},`)));
      // 3. what could be merged was: a sequence begins only where a prompt does not go on from the answer before it
      const begins = answers.filter(({ prompt }, at) => {
        const before = sequencesOf(answersBefore(moves, at)).at(-1)?.tokens ?? [];
        return before.length === 0 || !before.every((one, place) => prompt[place] === one);
      });
      t.is(sequences.length, begins.length);
    }),
  );
});

test('prompts that go on are one sequence, of which each token is stored once', (t) => {
  const grow = { given: true, anew: false, more: [1, 2], completion: [3, 4] };
  const { moves } = play([grow, grow, grow]);
  t.deepEqual(moves[1]?.sampled, { kept: 5, prompt: [9, 1, 2], completion: [3, 4], logprobs: [-4 / 2, -5 / 3] });
  t.is(sequencesOf(moves).length, 1);
  t.deepEqual(sequencesOf(moves)[0]?.mask, [0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1]);
  const { moves: broken } = play([grow, { ...grow, anew: true, more: [5] }, grow]);
  t.deepEqual(
    sequencesOf(broken).map((one) => one.tokens),
    [
      [9, 1, 2, 3, 4],
      [9, 5, 3, 4, 9, 1, 2, 3, 4],
    ],
  );
});

test('a move without tokens between two others does not part them if the prompt still goes on', (t) => {
  const grow = { given: true, anew: false, more: [1], completion: [2] };
  const [only, ...others] = sequencesOf(play([grow, { ...grow, given: false }, grow]).moves);
  t.is(others.length, 0);
  t.deepEqual(only?.tokens, [9, 1, 2, 9, 1, 2, 9, 1, 2]);
  t.deepEqual(only?.mask, [0, 0, 1, 0, 0, 0, 0, 0, 1]);
});

test('a long prompt is no problem, and a claim that cannot be is refused', (t) => {
  const prompt = Array.from({ length: 300_000 }, (_, at) => at % 7);
  const [one] = sequencesOf([{ sampled: { kept: 0, prompt, completion: [1], logprobs: [-1] } }]);
  t.is(one?.tokens.length, 300_001);
  const claim = { kept: 5, prompt: [], completion: [1], logprobs: [-1] };
  t.throws(() => sequencesOf([{ sampled: claim }]), { message: 'move 0 keeps 5 tokens of a sequence of 0' });
  const short = { kept: 0, prompt: [1], completion: [1, 2], logprobs: [-1] };
  t.throws(() => sequencesOf([{ sampled: short }]), { message: /2 tokens were sampled, but 1 log-probabilities/ });
});
