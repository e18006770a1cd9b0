// Whatever dies, each number is kept once, in order for each key, by everybody it concerns.
import test, { type ExecutionContext } from 'ava';
import type { Bus } from '#kit/bus';
import { failEachPublishOnce, loseEachAckOnce } from '../support/faults.ts';
import { both, either, flatHouse, type House } from '../support/house.ts';
import { startProcess } from '../support/processes.ts';
import { agent, conductor, learner } from '../support/relay.ts';
import { seeded } from '../support/seed.ts';
import { soak } from '../support/soak.ts';
import { isExact, keys, pause, range, serveHere, tellAll, untilQuiet } from '../support/story.ts';

const relay = [agent, conductor, learner];
const services = ['agent', 'conductor', 'learner'] as const;

for (const which of either('oldest'))
  test(`${which} server: every publish fails once and every acknowledgement is lost once, with two of each actor`, async (t) => {
    t.timeout(120_000);
    const house = await flatHouse(t, which);
    const failed = new Set<string>();
    const lost = new Set<string>();
    const prepare = (bus: Bus): Bus => loseEachAckOnce(failEachPublishOnce(bus, failed), lost);
    await serveHere(t, house, { actors: [...relay, ...relay], prepare });
    const operator = await house.bus('operator');
    const told = { keys: keys(4), numbers: range(6) };
    await tellAll(operator, told.keys, told.numbers);
    await untilQuiet(operator, services);
    await isExact(t, operator, told);
    const count = told.keys.length * told.numbers.length;
    t.is(failed.size, 2 * count, 'each number was to be published twice by the agent');
    t.is(lost.size, 3 * count, 'each number was to be acknowledged by three');
  });

/** Tells numbers in rounds, and does harm while each is on its way. */
async function inRounds(t: ExecutionContext, operator: Bus, { rounds, ready, harm }: Rounds): Promise<void> {
  const told = { keys: keys(5), numbers: range(rounds * 6) };
  for (const round of range(rounds)) {
    await ready?.(round);
    const telling = tellAll(operator, told.keys, range(6, round * 6));
    await harm(round);
    await telling;
  }
  await untilQuiet(operator, services);
  await isExact(t, operator, told);
}
interface Rounds {
  readonly rounds: number;
  readonly ready?: (round: number) => Promise<unknown>;
  readonly harm: (round: number) => Promise<void>;
}

test.serial('processes are killed -9 at any moment and started again, again and again', async (t) => {
  t.timeout(soak ? 1_800_000 : 180_000);
  const below = seeded(t);
  const house = await flatHouse(t, 'current');
  const operator = await house.bus('operator');
  const start = () => startProcess(t, house.server.url, services);
  const running = [start(), start()];
  const victimOf = (round: number): number => round % running.length;
  await inRounds(t, operator, {
    rounds: soak ? 200 : 8,
    ready: async (round) => await running[victimOf(round)],
    harm: async (round) => {
      await pause(below(200));
      await (await running[victimOf(round)])?.kill9();
      running[victimOf(round)] = start();
    },
  });
  await Promise.all(running);
});

for (const which of both)
  test(`${which} server: it is killed -9 at any moment and started again on its store, again and again`, async (t) => {
    t.timeout(soak ? 1_800_000 : 180_000);
    const below = seeded(t);
    const house: House = await flatHouse(t, which);
    const operator = await house.bus('operator');
    await serveHere(t, house, { actors: [...relay, ...relay] });
    await inRounds(t, operator, {
      rounds: soak ? 200 : 6,
      harm: async (round) => {
        await pause(below(200));
        if (round % 2 === 0) return;
        await house.server.kill9();
        await house.server.restart();
      },
    });
  });

test('processes and their server are killed -9 and frozen, at any moment and in any order', async (t) => {
  t.timeout(soak ? 3_600_000 : 180_000);
  const below = seeded(t);
  const house = await flatHouse(t, 'current');
  const operator = await house.bus('operator');
  const start = () => startProcess(t, house.server.url, services);
  const running = [start(), start()];
  const harms = [
    async () => {
      await house.server.kill9();
      await house.server.restart();
    },
    async (victim: number) => {
      await (await running[victim])?.kill9();
      running[victim] = start();
    },
    // longer than an ack wait: what it had in hand is given to the other one, and then it goes on with it
    async (victim: number) => {
      const frozen = await running[victim];
      frozen?.freeze();
      await pause(5_000 + below(2_000));
      frozen?.thaw();
    },
  ];
  await Promise.all(running);
  await inRounds(t, operator, {
    rounds: soak ? 300 : 4,
    harm: async (round) => {
      await pause(below(300));
      await harms[soak ? below(harms.length) : round % harms.length]?.(below(running.length));
    },
  });
  await Promise.all(running);
});
