import test from 'ava';
import fc from 'fast-check';
import { aboveMean, compareGroups } from '../../services/learner/advantage.ts';

const group = (name: string, rewards: readonly (number | null)[]) => rewards.map((reward) => ({ group: name, reward }));
const reward = fc.double({ min: 0, max: 1, noNaN: true });

test('an advantage is the reward above the mean of its group', (t) => {
  const compared = compareGroups([...group('a', [0, 1]), ...group('b', [0.5, 0.25])], 2);
  t.deepEqual(
    compared.map(({ advantage }) => advantage),
    [-0.5, 0.5, 0.125, -0.125],
  );
});

test('a group is learned from when all of its episodes have ended, and not before', (t) => {
  t.deepEqual(compareGroups(group('a', [0, 1, 1]), 4), []);
  t.is(compareGroups([...group('a', [0, 1, 1]), ...group('b', [1, 0, 1, 0])], 4).length, 4);
});

test('a failed episode completes its group and is not learned from', (t) => {
  const compared = compareGroups(group('a', [0, null, 1, null]), 4);
  t.deepEqual(
    compared.map(({ sample, advantage }) => [sample.reward, advantage]),
    [
      [0, -0.5],
      [1, 0.5],
    ],
  );
  t.deepEqual(compareGroups(group('a', [null, null]), 2), []);
});

test('an episode counted twice, or a reward that is no number, is a bug and throws', (t) => {
  t.throws(() => compareGroups(group('a', [0, 1, 1]), 2), { message: /group "a" has 3 episodes of 2/ });
  t.throws(() => compareGroups(group('a', [0, Number.NaN]), 2), { message: /has the reward NaN/ });
});

test('equal rewards teach exactly nothing', (t) => {
  fc.assert(
    fc.property(reward, fc.integer({ min: 1, max: 32 }), (one, n) =>
      aboveMean(Array(n).fill(one)).every((advantage) => advantage === 0),
    ),
  );
  t.pass();
});

test('the advantages of a group add up to zero, keep the order of rewards, and do not care for their level', (t) => {
  fc.assert(
    fc.property(fc.array(reward, { minLength: 1, maxLength: 32 }), (rewards) => {
      const advantages = aboveMean(rewards);
      const sum = advantages.reduce((total, one) => total + one, 0);
      const lifted = aboveMean(rewards.map((one) => one + 1));
      return (
        Math.abs(sum) < 1e-12 &&
        rewards.every(
          (one, at) => Math.sign(one - (rewards[0] ?? 0)) * ((advantages[at] ?? 0) - (advantages[0] ?? 0)) >= 0,
        ) &&
        advantages.every((one, at) => Math.abs(one - (lifted[at] ?? 0)) < 1e-12)
      );
    }),
  );
  t.pass();
});

test('the order in which groups mix does not change an advantage', (t) => {
  const mixed = fc.array(fc.record({ group: fc.constantFrom('a', 'b', 'c'), reward }), { maxLength: 12 });
  fc.assert(
    fc.property(mixed, (ended) => {
      const size = Math.max(1, ...['a', 'b', 'c'].map((name) => ended.filter(({ group: of }) => of === name).length));
      const sorted = ended.toSorted((one, other) => (one.group < other.group ? -1 : one.group > other.group ? 1 : 0));
      const of = (list: typeof ended) =>
        new Map(compareGroups(list, size).map(({ sample, advantage }) => [sample, advantage]));
      const [left, right] = [of(ended), of(sorted)];
      return left.size === right.size && [...left].every(([sample, advantage]) => right.get(sample) === advantage);
    }),
  );
  t.pass();
});
