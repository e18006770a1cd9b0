import test from 'ava';
import { serve } from '#kit/serve';
import { either, flatHouse, type House, until } from '../support/house.ts';
import { agent, conductor, learner, numbersOf, tell } from '../support/relay.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function serveAll(house: House, replicas: number, stop: AbortController): Promise<Promise<void>[]> {
  const serving = { signal: stop.signal, drainSeconds: 2 };
  const started: Promise<void>[] = [];
  for (let replica = 0; replica < replicas; replica += 1)
    for (const one of [agent, conductor, learner]) started.push(serve(await house.bus(one.name), one, serving));
  return started;
}

for (const which of either('current'))
  test(`${which} server: every number told to ten instances is kept once, in order, by everybody it concerns`, async (t) => {
    const house = await flatHouse(t, which);
    const operator = await house.bus('operator');
    const stop = new AbortController();
    const served = await serveAll(house, 2, stop);
    await Promise.all(
      range(10).map(async (key) => {
        for (const n of range(40)) await tell(operator, `k${key}`, n);
      }),
    );
    await until(
      'the learner has heard of all',
      async () => (await numbersOf(operator, 'learner', 'all.main')).length >= 400,
    );
    for (const key of range(10)) {
      t.deepEqual(await numbersOf(operator, 'agent', `r1.k${key}`), range(40));
      t.deepEqual(await numbersOf(operator, 'conductor', `r1.k${key}`), range(40));
    }
    t.is((await numbersOf(operator, 'learner', 'all.main')).length, 400);
    stop.abort();
    await Promise.all(served);
  });
