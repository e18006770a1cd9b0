// While the server is away everybody waits, loses nothing, and can be stopped.
import test from 'ava';
import { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { consumers, streams } from '#protocol/streams';
import { provision } from '../../deploy/nats/provision.ts';
import { binary, both, flatHouse, until } from '../support/house.ts';
import { launch, startProcess } from '../support/processes.ts';
import { agent, conductor, learner, numbersOf, tell } from '../support/relay.ts';
import { startServer } from '../support/servers.ts';
import { isExact, keys, pause, range, serveHere, tellAll, untilQuiet } from '../support/story.ts';
import { ask, workActs, workAsked, worker } from '../support/work.ts';

const services = ['agent', 'conductor', 'learner'] as const;
for (const which of both)
  test(`${which} server: it is away for three seconds while numbers are told and handled, and none is lost`, async (t) => {
    t.timeout(90_000);
    const house = await flatHouse(t, which);
    const operator = await house.bus('operator');
    await serveHere(t, house, { actors: [agent, conductor, learner] });
    const told = { keys: keys(5), numbers: range(60) };
    const telling = tellAll(operator, told.keys, told.numbers);
    await until('much is on its way', async () => (await numbersOf(operator, 'agent', 'r1.k0')).length > 10);
    await house.server.kill9();
    await pause(3_000);
    t.false(operator.connected);
    await house.server.restart();
    await telling;
    await untilQuiet(operator, services);
    await isExact(t, operator, told);
    t.true(operator.connected);
  });

test('a process waits for its server, and for what it needs there, and then serves', async (t) => {
  t.timeout(90_000);
  const server = await startServer(await binary('current'));
  t.teardown(() => server.stop());
  const { url } = server;
  await server.kill9();
  // 1. nobody listens
  const waiting = launch(t, url, services);
  await pause(3_000);
  await server.restart();
  const operator = await Bus.connect({ url, role: 'operator', flat: true });
  t.teardown(() => operator.nc.close());
  // 2. nothing is there: the number is told all the same
  const telling = tell(operator, 'k0', 0);
  await pause(2_000);
  await provision({ url, role: 'core' }, { streams: streams(), consumers: consumers() });
  await telling;
  await until('it is handled', async () => (await numbersOf(operator, 'learner', 'all.main')).length === 1, 40);
  t.is(waiting.child.exitCode, null, 'it is still the same process');
});

test('processes that are told to stop while the server is away do stop, and what they had is handled later', async (t) => {
  t.timeout(120_000);
  const house = await flatHouse(t, 'current', workActs);
  const operator = await house.bus('operator');
  const { url } = house.server;
  // 1. at work, standing by, in the middle of an act, and idle
  const processes = [await startProcess(t, url, services)];
  for (const names of [['learner', 'worker'], ['pod']] as const) processes.push(await startProcess(t, url, names));
  const told = { keys: keys(5), numbers: range(60) };
  const telling = tellAll(operator, told.keys, told.numbers);
  await ask(operator, workAsked, { run: 'long', how: 'lasts', seconds: 100 });
  await until('much is on its way', async () => (await numbersOf(operator, 'agent', 'r1.k0')).length > 10);
  await house.server.kill9();
  await pause(500);
  for (const { child } of processes) child.kill('SIGTERM');
  for (const { ended, names } of processes) t.deepEqual(await ended, { code: 0, signal: null }, `${names}`);
  // 2. others go on
  await house.server.restart();
  await startProcess(t, url, services);
  await telling;
  await untilQuiet(operator, services);
  await isExact(t, operator, told);
});

test('whoever is told to stop at any moment of its start does stop', async (t) => {
  t.timeout(180_000);
  const house = await flatHouse(t, 'current', workActs);
  const stopsAfter = async (ms: number, role: 'agent' | 'learner' | 'pod'): Promise<void> => {
    const bus = await house.bus(role);
    const over = new AbortController();
    const serving = { signal: over.signal, drainSeconds: 2 };
    const served =
      role === 'pod' ? serve(bus, worker, serving) : serve(bus, role === 'agent' ? agent : learner, serving);
    await pause(ms);
    over.abort();
    await served;
  };
  // one after the other, or a start would last longer
  for (const ms of range(25)) for (const role of ['agent', 'learner', 'pod'] as const) await stopsAfter(ms, role);
  t.pass();
});
