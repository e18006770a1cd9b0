// What is to be sent later is sent later, once, whoever is down in between.
import test from 'ava';
import { z } from 'zod';
import { actor } from '#kit/actor';
import type { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { pack, unpack } from '#kit/wire';
import { command, seal, token } from '#protocol/message';
import { stateOf } from '#protocol/streams';
import { flatHouse, type House, until } from '../support/house.ts';
import { numbersOf } from '../support/relay.ts';

const body = { key: token, n: z.int(), seconds: z.number() };
const alarmSet = command('alarm-set', { from: ['operator'], to: { agent: 'r1.{key}' }, body });
const alarmRang = command('alarm-rang', {
  from: ['agent'],
  to: { agent: 'r1.{key}' },
  body: { ...body, due: z.number() },
});

const state = { numbers: z.array(z.int()), early: z.array(z.int()) };

const sleeper = actor('agent', state, { numbers: [], early: [] })
  .on(alarmSet, (state, alarm, turn) => {
    turn.later(alarm.seconds, alarmRang, { ...alarm, due: turn.now + alarm.seconds * 1000 });
    return state;
  })
  .on(alarmRang, ({ numbers, early }, { n, due }, turn) => ({
    numbers: [...numbers, n],
    early: turn.now < due ? [...early, n] : early,
  }));

async function setAlarm(bus: Bus, alarm: { key: string; n: number; seconds: number }): Promise<void> {
  const common = { id: `alarm-${alarm.key}-${alarm.n}`, cause: null, due: null, failure: null };
  for (const { subject, schema, body } of seal(alarmSet, alarm, 'operator'))
    await bus.publish({ ...common, subject, schema, data: pack(body) });
}

async function startSleeper(house: House): Promise<() => Promise<void>> {
  const stop = new AbortController();
  const served = serve(await house.bus('agent'), sleeper, { signal: stop.signal, drainSeconds: 1 });
  return async () => {
    stop.abort();
    await served;
  };
}

const earlyOf = async (bus: Bus, key: string): Promise<unknown> => {
  const found = await bus.load(stateOf('agent'), `r1.${key}`);
  return found && Object(unpack(found.data)).state.early;
};

const rang = async (bus: Bus, key: string): Promise<number> => (await numbersOf(bus, 'agent', `r1.${key}`)).length;

test.serial('a thousand timers go off once each, none before its time, with two processes', async (t) => {
  const house = await flatHouse(t, 'oldest');
  const operator = await house.bus('operator');
  const stops = [await startSleeper(house), await startSleeper(house)];
  const keys = Array.from({ length: 50 }, (_, n) => `k${n}`);
  const alarms = keys.flatMap((key) => Array.from({ length: 20 }, (_, n) => ({ key, n, seconds: 0.5 + n / 10 })));
  await Promise.all(alarms.map((alarm) => setAlarm(operator, alarm)));
  for (const key of keys) await until(`${key} rang`, async () => (await rang(operator, key)) >= 20, 40);
  for (const key of keys) {
    t.deepEqual(
      (await numbersOf(operator, 'agent', `r1.${key}`)).sort((a, b) => a - b),
      [...Array(20).keys()],
    );
    t.deepEqual(await earlyOf(operator, key), []);
  }
  await Promise.all(stops.map((stop) => stop()));
});

test.serial('a timer that falls due while every process is down goes off when one is back', async (t) => {
  const house = await flatHouse(t, 'current');
  const operator = await house.bus('operator');
  const stop = await startSleeper(house);
  await setAlarm(operator, { key: 'k', n: 0, seconds: 2 });
  await until('the alarm is set', async () =>
    (await operator.nc.request('$JS.API.STREAM.INFO.later_agent')).string().includes('"messages":1'),
  );
  await stop();
  t.is(await rang(operator, 'k'), 0);
  const due = performance.now() + 2_500;
  await until('it is past its time', () => performance.now() > due);
  const again = await startSleeper(house);
  await until('it rang', async () => (await rang(operator, 'k')) === 1, 20);
  await again();
});

test.serial('timers outlive a server that is killed -9', async (t) => {
  const house = await flatHouse(t, 'current');
  const operator = await house.bus('operator');
  const stop = await startSleeper(house);
  for (let n = 0; n < 20; n += 1) await setAlarm(operator, { key: 'k', n, seconds: 3 });
  await house.server.kill9();
  await house.server.restart();
  await until('all rang', async () => (await rang(operator, 'k')) >= 20, 30);
  t.is(new Set(await numbersOf(operator, 'agent', 'r1.k')).size, 20);
  t.is(await rang(operator, 'k'), 20);
  await stop();
});
