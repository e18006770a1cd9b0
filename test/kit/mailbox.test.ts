import test from 'ava';
import fc from 'fast-check';
import { Mailbox } from '#kit/mailbox';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one task at a time for each key, in the order of arrival, whatever fails', async (t) => {
  const tasks = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), ticks: fc.nat(3), fails: fc.boolean() }), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(tasks, async (tasks) => {
      const mailbox = new Mailbox();
      const [begun, running] = [[] as number[], new Map<string, number>()];
      const ends = tasks.map(({ key, ticks, fails }, index) =>
        mailbox.run(key, async () => {
          t.is(running.get(key) ?? 0, 0);
          running.set(key, 1);
          begun.push(index);
          for (let n = 0; n < ticks; n += 1) await tick();
          running.set(key, 0);
          if (fails) throw new Error('this one fails');
        }),
      );
      await Promise.allSettled(ends);
      for (const key of ['a', 'b', 'c']) {
        const mine = (index: number): boolean => tasks[index]?.key === key;
        t.deepEqual(begun.filter(mine), [...tasks.keys()].filter(mine));
      }
    }),
    { numRuns: 50 },
  );
});

test('different keys run side by side, and a quiet key leaves nothing behind', async (t) => {
  const mailbox = new Mailbox();
  let together = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    together += 1;
    most = Math.max(most, together);
    await tick();
    together -= 1;
  };
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => mailbox.run(`key-${n}`, work)));
  t.true(most > 100);
  await tick();
  t.is(mailbox.size, 0);
});
