// What is to be sent later is sent once, and not before its time.
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { actor } from '#kit/actor';
import type { Bus } from '#kit/bus';
import { listParked } from '#kit/park';
import { pack, unpack } from '#kit/wire';
import { command, seal, token } from '#protocol/message';
import { laterOf, stateOf } from '#protocol/streams';
import { both, either, flatHouse, type House, until } from '../support/house.ts';
import { range, serveHere, untilQuiet } from '../support/story.ts';

const to = { agent: '{run}.{key}' };
const address = { run: token, key: token };
const alarms = { ...address, from: z.int(), count: z.int(), seconds: z.number() };
const alarmsSet = command('alarms-set', { from: ['operator'], to, body: alarms });
const alarmRang = command('alarm-rang', { from: ['agent'], to, body: { ...address, n: z.int(), due: z.number() } });
const rung = z.strictObject({ n: z.int(), late: z.number() });

/** Sets alarms, and notes when each rings. */
const clock = actor('agent', { rung: z.array(rung) }, { rung: [] })
  .on(alarmsSet, (state, { run, key, from, count, seconds }, turn) => {
    for (const n of range(count, from)) turn.later(seconds, alarmRang, { run, key, n, due: turn.now + seconds * 1000 });
    return state;
  })
  .on(alarmRang, (state, { n, due }, turn) => ({ rung: [...state.rung, { n, late: turn.now - due }] }));

interface Alarms {
  readonly key?: string;
  readonly from?: number;
  readonly count: number;
  readonly seconds: number;
}
async function set(bus: Bus, { key = 'k0', from = 0, count, seconds }: Alarms): Promise<void> {
  const id = `set-${key}-${from}`;
  for (const { body, ...out } of seal(alarmsSet, { run: 'r1', key, from, count, seconds }, 'operator'))
    await bus.publish({ ...out, id, cause: null, due: null, failure: null, data: pack(body) });
}

async function rungAt(bus: Bus, key = 'k0'): Promise<z.infer<typeof rung>[]> {
  const found = await bus.load(stateOf('agent'), `r1.${key}`);
  return found ? (unpack(found.data) as { state: { rung: z.infer<typeof rung>[] } }).state.rung : [];
}

/** Nothing is waiting for its time any more, and what was sent is handled. */
async function untilAllRang(bus: Bus, keys: readonly string[], each: number): Promise<void> {
  for (const key of keys)
    await until(`${each} rang at ${key}`, async () => (await rungAt(bus, key)).length >= each, 60);
  const jsm = await bus.nc.jetstreamManager({ checkAPI: false });
  const isEmpty = async (): Promise<boolean> => (await jsm.streams.info(laterOf('agent').name)).state.messages === 0;
  await until('no timer is left', () => isEmpty().catch(() => false), 60);
  await untilQuiet(bus, ['agent']);
}

const ascending = (a: number, b: number): number => a - b;

/** Each once, and none before its time. */
async function rangOnce(t: ExecutionContext, bus: Bus, { key = 'k0', count }: { key?: string; count: number }) {
  const all = await rungAt(bus, key);
  t.deepEqual(all.map(({ n }) => n).sort(ascending), range(count), key);
  const early = all.filter(({ late }) => late < -1); // the server's time is cut to milliseconds
  t.deepEqual(early, []);
}

const twoReplicas = (t: ExecutionContext, house: House) => serveHere(t, house, { actors: [clock, clock] });

for (const which of both)
  test(`${which} server: it is killed -9 before a timer is due, and the timer is sent once all the same`, async (t) => {
    t.timeout(60_000);
    const house = await flatHouse(t, which);
    const operator = await house.bus('operator');
    await twoReplicas(t, house);
    await set(operator, { count: 3, seconds: 2 });
    await set(operator, { from: 3, count: 3, seconds: 4 });
    await untilQuiet(operator, ['agent']);
    await house.server.kill9();
    await house.server.restart();
    await untilAllRang(operator, ['k0'], 6);
    await rangOnce(t, operator, { count: 6 });
  });

for (const which of either('oldest'))
  test(`${which} server: a thousand timers at once, two processes: each is sent once, none before its time`, async (t) => {
    t.timeout(90_000);
    const house = await flatHouse(t, which);
    const operator = await house.bus('operator');
    await twoReplicas(t, house);
    const keys = range(10).map((n) => `k${n}`);
    await Promise.all(keys.map((key) => set(operator, { key, count: 100, seconds: 3 })));
    await untilAllRang(operator, keys, 100);
    for (const key of keys) await rangOnce(t, operator, { key, count: 100 });
  });

test('a timer that fell due while no process was there is sent when one is', async (t) => {
  t.timeout(60_000);
  const house = await flatHouse(t, 'current');
  const operator = await house.bus('operator');
  const { stop } = await serveHere(t, house, { actors: [clock] });
  await set(operator, { count: 2, seconds: 3 });
  await untilQuiet(operator, ['agent']);
  await stop();
  const due = performance.now() + 3_000;
  await until('it is due', () => performance.now() > due);
  t.deepEqual(await rungAt(operator), []);
  await serveHere(t, house, { actors: [clock] });
  await untilAllRang(operator, ['k0'], 2);
  await rangOnce(t, operator, { count: 2 });
});

test('a timer for nobody is parked, and keeps no other from being sent', async (t) => {
  const house = await flatHouse(t, 'current');
  const operator = await house.bus('operator');
  await serveHere(t, house, { actors: [clock] });
  const lost = { cause: null, due: 0, failure: null, schema: 1, data: pack(null) };
  const nowhere = ['nonsense', 'msg.nobody.r1.k0.agent.alarm-rang', 'msg.agent.*.k0.agent.alarm-rang'];
  for (const [n, subject] of nowhere.entries())
    await operator.publish({ ...lost, id: `lost-${n}`, subject: `later.agent.${subject}` });
  await set(operator, { count: 1, seconds: 0 });
  await untilAllRang(operator, ['k0'], 1);
  const parked: unknown[] = [];
  for await (const { failure } of listParked(operator, 'agent')) parked.push(failure?.code);
  t.deepEqual(parked, Array(3).fill('bus/unknown-message'));
});
