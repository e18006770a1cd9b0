// The server is away for a while: nothing is lost, and nobody waits longer than they said.
import test from 'ava';
import { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { binary, flatHouse, until } from '../support/house.ts';
import { agent, conductor, numbersOf, tell } from '../support/relay.ts';
import { startServer } from '../support/servers.ts';

const range = (count: number): number[] => [...Array(count).keys()];

test.serial('what is said and done while the server is away arrives when it is back, once, in order', async (t) => {
  const house = await flatHouse(t, 'current');
  const operator = await house.bus('operator');
  const stop = new AbortController();
  const serving = { signal: stop.signal, drainSeconds: 2 };
  const served = [
    serve(await house.bus('agent'), agent, serving),
    serve(await house.bus('conductor'), conductor, serving),
  ];
  for (const n of range(20)) await tell(operator, 'k', n);

  await house.server.kill9();
  t.false(operator.connected && (await settled(operator)), 'the bus knows that it is cut off');
  const told = (async () => {
    for (const n of range(40).slice(20)) await tell(operator, 'k', n);
  })();
  const back = performance.now() + 3_000;
  await until('three seconds are over', () => performance.now() > back);
  await house.server.restart();
  await told;
  await until('all is kept', async () => (await numbersOf(operator, 'conductor', 'r1.k')).length >= 40, 30);
  t.deepEqual(await numbersOf(operator, 'agent', 'r1.k'), range(40));
  t.deepEqual(await numbersOf(operator, 'conductor', 'r1.k'), range(40));
  t.true(operator.connected);
  stop.abort();
  await Promise.all(served);
});

/** Whether it still says that it is connected when it had time to notice. */
async function settled(bus: Bus): Promise<boolean> {
  await until('the cut is noticed', () => !bus.connected, 10);
  return bus.connected;
}

test.serial('who stops while the server is away stops within its bound', async (t) => {
  const house = await flatHouse(t, 'current');
  const operator = await house.bus('operator');
  const stop = new AbortController();
  const bus = await house.bus('agent');
  const served = serve(bus, agent, { signal: stop.signal, drainSeconds: 1 });
  await tell(operator, 'k', 0);
  await until('it serves', async () => (await numbersOf(operator, 'agent', 'r1.k')).length === 1);
  await house.server.kill9();
  stop.abort();
  const asked = performance.now();
  await served;
  t.true(performance.now() - asked < 10_000);
});

test.serial('a process that starts before its server waits for it', async (t) => {
  const server = await startServer(await binary('current'));
  t.teardown(() => server.stop());
  await server.kill9();
  const connecting = Bus.connect({ url: server.url, role: 'agent', flat: true });
  await server.restart();
  const bus = await connecting;
  t.true(bus.connected);
  await bus.close();
});
