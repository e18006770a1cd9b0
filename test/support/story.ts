import type { ExecutionContext } from 'ava';
import type { Actor } from '#kit/actor';
import type { Bus } from '#kit/bus';
import { listParked } from '#kit/park';
import { serve } from '#kit/serve';
import type { Service } from '#protocol/roles';
import { turnsOf } from '#protocol/streams';
import { type House, until } from './house.ts';
import { numbersOf, tell } from './relay.ts';

/** Numbers told to several instances of the agent, and what must have come of them everywhere. */
export const range = (count: number, from = 0): number[] => Array.from({ length: count }, (_, n) => from + n);
export const keys = (count: number): string[] => range(count).map((n) => `k${n}`);

/** For what takes its time, like an outage; never to wait for something that can be asked for. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function tellAll(bus: Bus, to: readonly string[], numbers: readonly number[]): Promise<void> {
  await Promise.all(
    to.map(async (key) => {
      for (const n of numbers) await tell(bus, key, n);
    }),
  );
}

/** Waits until every message said to these services is acknowledged: what may still happen has happened. */
export async function untilQuiet(bus: Bus, services: readonly Service[], seconds = 60): Promise<void> {
  const jsm = await bus.nc.jetstreamManager({ checkAPI: false });
  // in the order of the story: what is acknowledged has sent what it leads to
  for (const service of services) {
    const { stream, name } = turnsOf(service);
    const isQuiet = async (): Promise<boolean> => {
      const { num_pending, num_ack_pending } = await jsm.consumers.info(stream.name, name);
      return num_pending + num_ack_pending === 0;
    };
    await until(`the ${service} has acknowledged everything`, () => isQuiet().catch(() => false), seconds);
  }
}

/** Each number once, in order for each key, at the agent, the conductor and the learner; and none is parked. */
export async function isExact(t: ExecutionContext, bus: Bus, told: { keys: readonly string[]; numbers: number[] }) {
  for (const key of told.keys) {
    t.deepEqual(await numbersOf(bus, 'agent', `r1.${key}`), told.numbers, `agent ${key}`);
    t.deepEqual(await numbersOf(bus, 'conductor', `r1.${key}`), told.numbers, `conductor ${key}`);
  }
  const heard = await numbersOf(bus, 'learner', 'all.main');
  const all = told.keys.flatMap(() => told.numbers);
  t.deepEqual([...heard].sort(ascending), all.sort(ascending), 'learner');
  for (const service of ['agent', 'conductor', 'learner'] as const)
    for await (const { was, failure } of listParked(bus, service))
      if (was.includes('.number-')) t.fail(`${was} is parked: ${failure?.detail}`);
}

const ascending = (a: number, b: number): number => a - b;

export async function learnerHasHeard(bus: Bus, count: number, seconds = 60): Promise<void> {
  const heard = async (): Promise<number> => (await numbersOf(bus, 'learner', 'all.main')).length;
  await until(`the learner has heard of ${count}`, async () => (await heard()) >= count, seconds);
}

interface Cast<S> {
  readonly actors: readonly Actor<S>[];
  readonly prepare?: (bus: Bus) => Bus;
}

/** Serves actors in this process until the test ends or `stop`. */
export async function serveHere<S>(
  t: Pick<ExecutionContext, 'teardown'>,
  house: House,
  { actors, prepare = (bus) => bus }: Cast<S>,
): Promise<{ stop: () => Promise<void> }> {
  const over = new AbortController();
  const serving = { signal: over.signal, drainSeconds: 2 };
  const served: Promise<void>[] = [];
  for (const one of actors) served.push(serve(prepare(await house.bus(one.name)), one, serving));
  const stop = async (): Promise<void> => {
    over.abort();
    await Promise.all(served);
  };
  t.teardown(stop);
  return { stop };
}
