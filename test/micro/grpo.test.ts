import test from 'ava';
import fc from 'fast-check';
import { advantages, CLIP, divergence, tokenLoss } from '../../runtime/micro/grpo.ts';

test('equal rewards give no advantage', (t) => {
  for (const reward of [0, 1, 0.1, 1 / 3]) t.deepEqual(advantages(Array(8).fill(reward)), Array(8).fill(0));
});

test('advantages are distances from the mean in standard deviations', (t) => {
  const [good = 0, ...bad] = advantages([1, 0, 0, 0]);
  t.true(Math.abs(good - Math.sqrt(3)) < 1e-3);
  for (const each of bad) t.true(Math.abs(each + good / 3) < 1e-9);
});

const at = (ratio: number, advantage: number) =>
  tokenLoss({ logprob: Math.log(ratio) - 1, drawn: -1, base: Math.log(ratio) - 1, advantage }, 0);

test('a token that has moved beyond the clip pulls no further, but can come back', (t) => {
  const table: [ratio: number, advantage: number, loss: number, slope: number][] = [
    [1, 2, -2, -2],
    [1, -2, 2, 2],
    [1.5, 1, -CLIP.high, 0], // good, and already more likely: enough
    [0.5, -1, CLIP.low, 0], // bad, and already less likely: enough
    [0.5, 1, -0.5, -0.5], // good, but less likely: back
    [1.5, -1, 1.5, 1.5], // bad, but more likely: back
  ];
  for (const [ratio, advantage, loss, slope] of table) {
    const got = at(ratio, advantage);
    t.true(Math.abs(got.loss - loss) < 1e-9 && Math.abs(got.slope - slope) < 1e-9, `${ratio} ${advantage}`);
  }
});

const logprob = fc.double({ min: -20, max: 0, noNaN: true });

test('the divergence is never negative, and 0 only where the policies agree', (t) => {
  fc.assert(
    fc.property(logprob, logprob, (one, other) => {
      const { kl } = divergence(one, other);
      return kl >= 0 && (Math.abs(one - other) < 1e-6 || kl > 0);
    }),
  );
  t.is(divergence(-1, -1).kl, 0);
});

test('the slope of a token loss is its finite difference, with and without the divergence', (t) => {
  const step = 1e-6;
  fc.assert(
    fc.property(
      logprob,
      fc.double({ min: -3, max: 3, noNaN: true }),
      fc.constantFrom(0, 0.1),
      (base, advantage, coef) => {
        const loss = (logprobNow: number) =>
          tokenLoss({ logprob: logprobNow, drawn: -2, base: -2 + base / 20, advantage }, coef);
        const measured = (loss(-2.05 + step).loss - loss(-2.05 - step).loss) / (2 * step);
        return Math.abs(measured - loss(-2.05).slope) < 1e-5;
      },
    ),
  );
  t.pass();
});
