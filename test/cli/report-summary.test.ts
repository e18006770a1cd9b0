import test from 'ava';
import fc from 'fast-check';
import { estimate } from '../../services/cli/report/interval.ts';
import { podUseOf } from '../../services/cli/report/pod-use.ts';
import type { RunData } from '../../services/cli/report/run-data.ts';
import { resultOf } from '../../services/cli/report/section/glance.ts';
import { type Summary, summary, summaryOf } from '../../services/cli/report/summary.ts';
import { worthReading } from '../../services/cli/report/worth-reading.ts';
import { allFailed, emptyRun, madeRun, stoppedRun } from './support/made-run.ts';

const keys = [
  ...['run', 'seed', 'runtime', 'mind', 'wallSeconds', 'secondsToFirstScore', 'steps', 'heldOut', 'families'],
  ...['outcomes', 'pods', 'cost', 'restarts'],
] as const satisfies readonly (keyof Summary)[];

const made: Readonly<Record<string, RunData>> = {
  'a whole run': madeRun(),
  'a run that has just begun': emptyRun(),
  'a run stopped early': stoppedRun(),
  'a run in which all failed': allFailed(),
};

for (const [name, data] of Object.entries(made))
  test(`${name} has a summary with every key, which is read back from JSON as it was`, (t) => {
    const told = summaryOf(data);
    for (const key of keys) t.true(key in told, key);
    t.deepEqual(summary.parse(JSON.parse(JSON.stringify(told))), told);
  });

test('a whole run tells of both evaluations, and their intervals hold their means', (t) => {
  const { heldOut, steps, families, outcomes } = summaryOf(madeRun());
  const { before, after } = heldOut;
  if (!before || !after) return t.fail('an evaluation is missing');
  for (const { uplift, low, high, reward, rewardLow, rewardHigh } of [before, after]) {
    t.true(low <= uplift && uplift <= high);
    t.true(rewardLow <= reward && reward <= rewardHigh);
  }
  t.true(after.reward > before.reward);
  t.is(steps.length, 20);
  t.deepEqual(
    families
      .filter(({ heldOut: held }) => held)
      .map(({ family }) => family)
      .sort(),
    ['behead', 'next-of-first', 'rotate-left'],
  );
  t.is(outcomes.scored + outcomes.invalid + outcomes.failed, madeRun().verdicts.length);
});

test('impossible families are in no mean and no list of families', (t) => {
  const data = madeRun();
  const canaries = data.verdicts
    .filter(({ purpose }) => purpose === 'evaluation')
    .map((one) => ({ ...one, episode: `c-${one.episode}`, use: 'impossible' as const, family: 'secret-digit' }));
  const told = summaryOf({ ...data, verdicts: [...data.verdicts, ...canaries] });
  t.deepEqual(told, summaryOf(data));
});

test('the first score is the earliest one, however the verdicts are ordered', (t) => {
  const data = madeRun();
  const shuffled = { ...data, verdicts: data.verdicts.toReversed() };
  t.is(summaryOf(shuffled).secondsToFirstScore, summaryOf(data).secondsToFirstScore);
});

test('a run stopped early has no held-out score after it, and says how far it came', (t) => {
  const data = stoppedRun();
  t.is(summaryOf(data).heldOut.after, null);
  t.truthy(summaryOf(data).heldOut.before);
  t.regex(resultOf(data), /It was stopped after 6 of 20 steps\.$/);
});

test('a run in which all failed has no score and no family, and no zero in their place', (t) => {
  const told = summaryOf(allFailed());
  t.is(told.secondsToFirstScore, null);
  t.deepEqual(told.families, []);
  t.deepEqual(told.heldOut, { before: null, after: null });
});

test('a run that has just begun says so', (t) => {
  t.is(resultOf(emptyRun()), 'No step was made; 0 episodes have ended. It is still under way, at step 0 of 20.');
});

const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 60 });

test('an interval lies in [0, 1], holds its mean, and never says more than few figures can', (t) => {
  fc.assert(
    fc.property(shares, (values) => {
      const { mean, low, high } = estimate(values);
      return low >= 0 && low <= mean && mean <= high && high <= 1 && high - low > 1 / (values.length + 3);
    }),
  );
  t.pass();
});

/** Drawn from a coin of this chance; the interval should hold the chance nine times in ten. */
test('nine intervals in ten hold what they estimate', (t) => {
  for (const chance of [0.1, 0.35, 0.5, 0.8])
    for (const n of [8, 24]) {
      let held = 0;
      for (let k = 0; k <= n; k += 1) {
        const { low, high } = estimate(Array.from({ length: n }, (_, at) => (at < k ? 1 : 0)));
        if (low <= chance && chance <= high) held += binomial(n, k, chance);
      }
      t.true(held > 0.85, `${n} draws of ${chance}: ${held}`);
    }
});

function binomial(n: number, k: number, chance: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i += 1) ways *= (n - k + i) / i;
  return ways * chance ** k * (1 - chance) ** (n - k);
}

test('ten episodes at most are worth reading, none twice, with one of each outcome', (t) => {
  const picks = worthReading(madeRun().verdicts).map(({ verdict }) => verdict);
  t.is(picks.length, 10);
  t.is(new Set(picks.map(({ episode }) => episode)).size, 10);
  t.is(new Set(picks.map(({ outcome }) => outcome)).size, 3);
  t.deepEqual(worthReading([]), []);
  t.is(worthReading(madeRun().verdicts.slice(0, 4)).length, 4);
});

test('a pod is never busier than all of the time, and its stretches sum to what it trained', (t) => {
  const data = madeRun();
  const whole = podUseOf(data, 1);
  const fine = podUseOf(data, 50);
  t.deepEqual(
    whole.map(({ pod }) => pod),
    ['p1', 'p2'],
  );
  for (const [at, { shares: parts }] of fine.entries()) {
    t.true(parts.every((share) => share >= 0 && share <= 1));
    const mean = parts.reduce((sum, share) => sum + share, 0) / parts.length;
    t.true(mean <= (whole[at]?.shares[0] ?? 0) + 1e-9);
  }
});
