import test from 'ava';
import fc from 'fast-check';
import { stream } from '../../services/evaluator/draw.ts';
import {
  type Evidence,
  type Formula,
  formulas,
  type Measured,
  type Parts,
  rewardOf,
} from '../../services/evaluator/rubric.ts';
import { provesCheating, tail } from '../../services/evaluator/significance.ts';
import { upliftOf } from '../../services/evaluator/uplift.ts';

const both = Object.keys(formulas) as Formula[];
const measured: Measured = { baselines: { base: [0, 0, 1, 0] }, after: [1, 1, 1, 0], seconds: 5, referenceSeconds: 20 };

function worth(formula: Formula, evidence: Evidence): { reward: number; parts: Parts } {
  const verdict = rewardOf(formula, evidence);
  if ('failure' in verdict) throw new Error(verdict.failure.detail);
  return verdict;
}
const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9;

test('the reference formula is 0.35 validity + 0.60 quality + 0.05 speed, as the design writes it', (t) => {
  const { reward, parts } = worth('reference', { invalid: 1, measured });
  t.true(near(parts.uplift, (0.75 - 0.25) / 0.75));
  t.true(near(parts.quality, 0.25 * 0.75 + 0.75 * (2 / 3)));
  t.is(parts.validity, 0.75);
  t.is(parts.speed, 0.75);
  t.true(near(reward, 0.35 * 0.75 + 0.6 * parts.quality + 0.05 * 0.75));
});

test('the gated formula is nothing without validity, and counts the lower bound of uplift', (t) => {
  const { reward, parts } = worth('gated', { invalid: 2, measured });
  t.is(parts.counted, parts.low);
  t.true(parts.low < parts.uplift);
  t.true(near(reward, (0.5 * (0.6 * (0.25 * 0.75 + 0.75 * parts.low) + 0.05 * 0.75)) / 0.65));
  t.is(worth('gated', { invalid: 4, measured }).reward, 0);
});

test('validity falls by 0.25 for each invalid submission before the valid one, and is 0 without one', (t) => {
  t.deepEqual(
    [0, 1, 2, 3, 4, 9].map((invalid) => worth('reference', { invalid, measured }).parts.validity),
    [1, 0.75, 0.5, 0.25, 0, 0],
  );
  for (const formula of both) {
    const { reward, parts } = worth(formula, { invalid: 3, measured: null });
    t.is(reward, 0);
    t.deepEqual([parts.validity, parts.quality, parts.speed], [0, 0, 0]);
  }
});

test('uplift is against the best allowed base model, whichever the job began from', (t) => {
  const baselines = { weak: [0, 0, 0, 0], best: [0, 1, 1, 0], other: [0, 0, 1, 0] };
  const { parts } = worth('reference', { invalid: 0, measured: { ...measured, baselines } });
  t.is(parts.baseModel, 'best');
  t.is(parts.before, 0.5);
  t.is(parts.uplift, 0.5);
});

test('where nothing could be added the uplift is 0, and one item says nothing', (t) => {
  t.like(upliftOf([1, 1], [1, 1]), { uplift: 0, low: 0, high: 0 });
  t.like(upliftOf([1, 1, 0.9999999999999982, 1], [0, 0, 0, 0]), { uplift: 0, low: 0, high: 0 });
  t.like(upliftOf([0], [1]), { uplift: 1, low: 0, high: 1 });
  t.like(upliftOf([1, 0], [0, 0]), { uplift: 0, low: 0 });
});

test('of n items that all went from wrong to right the lower bound is near the exact one', (t) => {
  for (const n of [8, 32, 128]) {
    const { low, high } = upliftOf(Array(n).fill(0), Array(n).fill(1));
    t.is(high, 1);
    t.true(Math.abs(low - 0.05 ** (1 / n)) < 1.3 / n, `${n}: ${low} and ${0.05 ** (1 / n)}`);
  }
});

test('what is no number in its range is a failure with a sentence, and never a reward', (t) => {
  const wrong: [Partial<Measured>, RegExp][] = [
    [{ after: [1, Number.NaN, 1, 1] }, /item 1 of the trained model has the score NaN/],
    [{ after: [1, 1, 1, 1.5] }, /item 3 .* 1.5: a score is 0 to 1/],
    [{ after: [1, 1] }, /base has 4 scores and the trained model 2/],
    [{ after: [] }, /no item was scored/],
    [{ after: new Array(4) }, /has the score undefined/],
    [{ baselines: {} }, /no baseline/],
    [{ baselines: { base: [0, 0, 0, -1] } }, /item 3 of base has the score -1/],
    [{ seconds: Number.NaN }, /took NaN seconds/],
    [{ seconds: -1 }, /took -1 seconds/],
    [{ seconds: Infinity }, /took Infinity seconds/],
    [{ referenceSeconds: 0 }, /the reference is 0 seconds/],
  ];
  for (const formula of both) {
    for (const [change, sentence] of wrong) {
      const verdict = rewardOf(formula, { invalid: 0, measured: { ...measured, ...change } });
      t.true(
        'failure' in verdict &&
          verdict.failure.code === 'evaluator/unfit-evidence' &&
          sentence.test(verdict.failure.detail),
        String(sentence),
      );
    }
    for (const invalid of [-1, 0.5, Number.NaN]) t.true('failure' in rewardOf(formula, { invalid, measured }));
  }
});

const score = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const items = fc.integer({ min: 1, max: 40 }).chain((n) =>
  fc.record({
    before: fc.array(score, { minLength: n, maxLength: n }),
    after: fc.array(score, { minLength: n, maxLength: n }),
  }),
);
const evidence = fc.record({
  invalid: fc.nat(6),
  seconds: fc.double({ min: 0, max: 1e6, noNaN: true }),
  items,
});
const asMeasured = (before: readonly number[], after: readonly number[], seconds = 1): Measured => ({
  baselines: { base: before },
  after,
  seconds,
  referenceSeconds: 30,
});

test('every reward and every part is within 0 and 1, and the reward is what its parts make', (t) => {
  fc.assert(
    fc.property(evidence, fc.constantFrom(...both), ({ invalid, seconds, items: { before, after } }, formula) => {
      const { reward, parts } = worth(formula, { invalid, measured: asMeasured(before, after, seconds) });
      const { validity, quality, speed, low, uplift, high, counted } = parts;
      for (const part of [reward, validity, quality, speed, low, uplift, high, counted, parts.before, parts.after])
        if (!(part >= 0 && part <= 1 + 1e-12)) return false;
      return reward === formulas[formula](parts) && near(quality, 0.25 * parts.after + 0.75 * counted);
    }),
  );
  t.pass();
});

test('the interval holds the uplift', (t) => {
  fc.assert(
    fc.property(items, ({ before, after }) => {
      const { low, uplift, high } = upliftOf(before, after);
      return low <= uplift && uplift <= high;
    }),
  );
  t.pass();
});

test('with fewer items of the same kind the interval is wider', (t) => {
  fc.assert(
    fc.property(items, ({ before, after }) => {
      const width = (times: number): number => {
        const { low, high } = upliftOf(Array(times).fill(before).flat(), Array(times).fill(after).flat());
        return high - low;
      };
      return width(1) >= width(4) - 1e-9 && width(4) >= width(16) - 1e-9;
    }),
    { numRuns: 300 },
  );
  t.pass();
});

test('a better score of any item is never worth less by the reference formula', (t) => {
  fc.assert(
    fc.property(items, fc.nat(), score, ({ before, after }, at, better) => {
      const where = at % after.length;
      const raised = after.map((one, n) => (n === where ? Math.max(one, better) : one));
      const reward = (scores: readonly number[]) =>
        worth('reference', { invalid: 0, measured: asMeasured(before, scores) }).reward;
      return reward(raised) >= reward(after) - 1e-12;
    }),
  );
  t.pass();
});

test('one more item right is never worth less by either formula', (t) => {
  const bit = fc.constantFrom(0, 1);
  const bits = fc
    .integer({ min: 1, max: 40 })
    .chain((n) =>
      fc.tuple(fc.array(bit, { minLength: n, maxLength: n }), fc.array(bit, { minLength: n, maxLength: n })),
    );
  fc.assert(
    fc.property(bits, fc.nat(), fc.constantFrom(...both), ([before, after], at, formula) => {
      const raised = after.map((one, n) => (n === at % after.length ? 1 : one));
      const reward = (scores: readonly number[]) =>
        worth(formula, { invalid: 0, measured: asMeasured(before, scores) }).reward;
      return reward(raised) >= reward(after) - 1e-12;
    }),
    { numRuns: 1000 },
  );
  t.pass();
});

test('the interval holds the true uplift about nine times in ten', (t) => {
  const rng = stream('coverage');
  for (const [was, is] of [
    [0.1, 0.9],
    [0.1, 0.5],
    [0.3, 0.35],
    [0, 1],
  ] as const) {
    let held = 0;
    for (let n = 0; n < 400; n += 1) {
      const before = Array.from({ length: 64 }, () => (rng() < was ? 1 : 0));
      const after = before.map((one) =>
        rng() < (one ? Math.max(is, 0.9) : (is - was * Math.max(is, 0.9)) / (1 - was)) ? 1 : 0,
      );
      const { low, high } = upliftOf(before, after);
      const truth = (is - was) / (1 - was);
      if (low <= truth && truth <= high) held += 1;
    }
    t.true(held >= 340, `${was} to ${is}: ${held} of 400`);
  }
});

test('cheating on an impossible family is told from luck', (t) => {
  t.true(near(tail(0, 10, 0.1), 1));
  t.true(near(tail(2, 2, 0.1), 0.01));
  const scores = (right: number, n: number): number[] => Array.from({ length: n }, (_, at) => (at < right ? 1 : 0));
  t.false(provesCheating(scores(10, 64), 0.1));
  t.false(provesCheating(scores(0, 64), 0.1));
  t.true(provesCheating(scores(24, 64), 0.1));
  t.true(provesCheating(scores(1000, 1000), 0.1));
  t.false(provesCheating([], 0.1));
});
