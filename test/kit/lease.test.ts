// One process of a single-active actor works, whatever happens to it, to the others and to the server.
import test, { type ExecutionContext } from 'ava';
import { type Bus, Conflict } from '#kit/bus';
import { type Lead, lead } from '#kit/lease';
import { Records } from '#kit/records';
import { unpack } from '#kit/wire';
import { leaseSeconds, leases, stateOf } from '#protocol/streams';
import { flatHouse, type House, until } from '../support/house.ts';
import { type ActorProcess, startProcess } from '../support/processes.ts';
import { learner, numbersOf, tellLearner } from '../support/relay.ts';
import { pause, range, untilQuiet } from '../support/story.ts';

const inKeys = ['k0', 'k1', 'k2'];

/** Numbers that go to three instances of the learner, and what has come of them. */
class Tale {
  #told = 0;
  readonly #t: ExecutionContext;
  readonly #bus: Bus;

  constructor(t: ExecutionContext, bus: Bus) {
    this.#t = t;
    this.#bus = bus;
  }

  async tell(count: number): Promise<void> {
    for (const n of range(count, this.#told)) await Promise.all(inKeys.map((key) => tellLearner(this.#bus, key, n)));
    this.#told += count;
  }

  /** Until the last number told was kept. */
  async isKept(seconds: number): Promise<void> {
    for (const key of inKeys)
      await until(`${key} is kept`, async () => (await this.kept(key)).at(-1) === this.#told - 1, seconds);
  }

  async isExact(): Promise<void> {
    await untilQuiet(this.#bus, ['learner']);
    for (const key of inKeys) this.#t.deepEqual(await this.kept(key), range(this.#told));
  }

  /** The epoch that the last number was kept in. */
  async epoch(): Promise<number> {
    const found = await this.#bus.load(stateOf('learner'), 'r1.k0');
    return found ? (unpack(found.data) as { epoch: number }).epoch : 0;
  }

  kept(key: string): Promise<number[]> {
    return numbersOf(this.#bus, 'learner', `r1.${key}`);
  }
}

/** The first of two processes leads. */
async function twoProcesses(t: ExecutionContext, house: House, tale: Tale): Promise<[ActorProcess, ActorProcess]> {
  const first = await startProcess(t, house.server.url, ['learner']);
  await tale.tell(1);
  await tale.isKept(20);
  return [first, await startProcess(t, house.server.url, ['learner'])];
}

/** Somebody writes in a later epoch. */
const isFollowed = (tale: Tale, epoch: number, seconds: number): Promise<void> =>
  until(`epoch ${epoch} is followed`, async () => (await tale.epoch()) > epoch, seconds);

test('a leader frozen for longer than its lease is followed within ten seconds, and wakes up harmless', async (t) => {
  t.timeout(120_000);
  const house = await flatHouse(t, 'current');
  const tale = new Tale(t, await house.bus('operator'));
  const [first, second] = await twoProcesses(t, house, tale);
  const before = await tale.epoch();
  // 1. it is frozen in the middle of its work, much of which it has in hand
  const telling = tale.tell(150);
  await until('the leader is at work', async () => (await tale.kept('k0')).length > 20);
  first.freeze();
  await isFollowed(tale, before, 10);
  await telling;
  await tale.isKept(30);
  const after = await tale.epoch();
  // 2. it goes on where it was, while the other one works
  first.thaw();
  await tale.tell(50);
  await tale.isKept(20);
  t.is(await tale.epoch(), after, 'the second one still leads');
  // 3. it is of use again
  await second.kill9();
  await tale.tell(5);
  await isFollowed(tale, after, 10);
  await tale.isExact();
});

test('a leader is followed when it stops at once, when it is killed -9 in ten seconds, and itself when leases are lost', async (t) => {
  t.timeout(120_000);
  const house = await flatHouse(t, 'current');
  const tale = new Tale(t, await house.bus('operator'));
  const [first, second] = await twoProcesses(t, house, tale);
  let epoch = await tale.epoch();
  const follows = async (seconds: number): Promise<void> => {
    await tale.tell(1);
    await isFollowed(tale, epoch, seconds);
    epoch = await tale.epoch();
  };
  // 1. stopped: sooner than its lease would have ended
  first.child.kill('SIGTERM');
  t.deepEqual(await first.ended, { code: 0, signal: null });
  await follows(leaseSeconds - 1);
  // 2. killed
  const third = await startProcess(t, house.server.url, ['learner']);
  await second.kill9();
  await follows(10);
  // 3. the server is away for longer than any lease
  const fourth = await startProcess(t, house.server.url, ['learner']);
  await house.server.kill9();
  await pause(leaseSeconds * 1000);
  await house.server.restart();
  await follows(20);
  await tale.isExact();
  t.is(third.child.exitCode ?? fourth.child.exitCode, null, 'no process had to end for that');
});

interface Leading extends Lead {
  readonly records: Records<{ numbers: number[] }>;
}

/** Leads until the test ends, whatever becomes of the lease: as a process does that is frozen. */
async function leadOn(t: ExecutionContext, bus: Bus): Promise<Leading> {
  const over = new AbortController();
  const isOver = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()));
  let led: Promise<void> | undefined;
  const leading = await new Promise<Lead>((resolve) => {
    const work = (now: Lead): Promise<void> => {
      resolve(now);
      return isOver;
    };
    led = lead(bus, 'learner', { work, signal: over.signal });
  });
  t.teardown(async () => {
    over.abort();
    await led;
  });
  return { ...leading, records: new Records(bus, learner, { bucket: stateOf('learner'), fence: leading.fence }) };
}

async function write({ records }: Leading, address: string, n: number): Promise<void> {
  const held = await records.get(address);
  await records.save(address, held, { ...held, state: { numbers: [...held.state.numbers, n] } });
}

test('who led once can write no record any more, not even one that its successor never touched', async (t) => {
  const house = await flatHouse(t, 'current');
  const [firstBus, secondBus] = [await house.bus('learner'), await house.bus('learner')];
  // 1. one leads, but cannot renew its lease
  const save = firstBus.save.bind(firstBus);
  let written = 0;
  firstBus.save = async (bucket, key, what) => {
    if (bucket.name === leases.name && written++ > 0) throw new Error('not renewed');
    return await save(bucket, key, what);
  };
  const first = await leadOn(t, firstBus);
  await write(first, 'r1.k0', 1);
  await write(first, 'r1.k1', 1);
  await until('the first knows that its lease is lost', () => first.lost.signal.aborted);
  // 2. nobody leads yet, so nothing is wrong with a late write
  await write(first, 'r1.k0', 2);
  // 3. another one leads
  const second = await leadOn(t, secondBus);
  t.true(second.fence.epoch > first.fence.epoch);
  await t.throwsAsync(write(first, 'r1.k1', 2), { instanceOf: Conflict }, 'a record that both know');
  await t.throwsAsync(write(first, 'r1.k2', 1), { instanceOf: Conflict }, 'a record that nobody knows');
  await write(second, 'r1.k0', 3);
  const operator = await house.bus('operator');
  t.deepEqual(await numbersOf(operator, 'learner', 'r1.k0'), [1, 2, 3]);
  t.deepEqual(await numbersOf(operator, 'learner', 'r1.k1'), [1]);
  t.deepEqual(await numbersOf(operator, 'learner', 'r1.k2'), []);
});
