// What cannot be handled is parked with its reason, and stops nobody else.
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { actor } from '#kit/actor';
import type { Bus } from '#kit/bus';
import { dropParked, listParked, type Parked, retryParked } from '#kit/park';
import { type Outgoing, pack, unpack } from '#kit/wire';
import type { FailureCode } from '#protocol/failure';
import type { Service } from '#protocol/roles';
import { stateOf, turnsOf } from '#protocol/streams';
import { flatHouse, type House, until } from '../support/house.ts';
import { launch } from '../support/processes.ts';
import { agent, conductor, deadly, numberKept, numbersOf, numberTold, tell } from '../support/relay.ts';
import { seeded } from '../support/seed.ts';
import { range, serveHere, untilQuiet } from '../support/story.ts';

async function stageOf(t: ExecutionContext): Promise<{ house: House; operator: Bus }> {
  const house = await flatHouse(t, 'current', [{ ...turnsOf('agent'), ackWaitSeconds: 2 }]);
  return { house, operator: await house.bus('operator') };
}

async function parkedOf(bus: Bus, service: Service = 'agent'): Promise<Parked[]> {
  const found: Parked[] = [];
  for await (const one of listParked(bus, service)) found.push(one);
  return found;
}

const untilParked = (bus: Bus, count: number, seconds = 20): Promise<void> =>
  until(`${count} are parked`, async () => (await parkedOf(bus)).length >= count, seconds);

const codes = async (bus: Bus): Promise<(FailureCode | undefined)[]> =>
  (await parkedOf(bus)).map(({ failure }) => failure?.code);

/** An agent with a bug. It also changes the state that it was given, which nobody should. */
function clumsyAgent() {
  const bug = { there: true, tries: 0, says: 'less than nothing' };
  const clumsy = actor('agent', { numbers: z.array(z.int()) }, { numbers: [] }).on(numberTold, (state, told, turn) => {
    state.numbers.push(told.n);
    if (bug.there && told.n < 0) {
      bug.tries += 1;
      throw new Error(bug.says);
    }
    turn.send(numberKept, told);
    return state;
  });
  return { bug, clumsy };
}

test('a handler that always throws is tried five times, and stops neither its own instance nor others', async (t) => {
  const { house, operator } = await stageOf(t);
  const { bug, clumsy } = clumsyAgent();
  bug.says = `less than nothing, ${'at length, '.repeat(100_000)}`;
  const { stop } = await serveHere(t, house, { actors: [clumsy] });
  for (const n of [0, 1, -1, 2])
    for (const key of ['k0', 'k1']) await tell(operator, key, key === 'k1' ? Math.abs(n) : n);
  await untilQuiet(operator, ['agent']);
  t.is(bug.tries, 5);
  const [one, ...more] = await parkedOf(operator);
  t.is(more.length, 0);
  t.is(one?.failure?.code, 'bus/handler-threw');
  t.regex(one?.failure?.detail ?? '', /less than nothing/);
  t.is(one?.was, 'msg.agent.r1.k0.operator.number-told');
  t.deepEqual(await numbersOf(operator, 'agent', 'r1.k0'), [0, 1, 2]);
  t.deepEqual(await numbersOf(operator, 'agent', 'r1.k1'), [0, 1, 2]);
  // and another process goes on where this one stopped
  await stop();
  await serveHere(t, house, { actors: [agent] });
  await tell(operator, 'k0', 3);
  await untilQuiet(operator, ['agent']);
  t.deepEqual(await numbersOf(operator, 'agent', 'r1.k0'), [0, 1, 2, 3]);
});

test('what is parked can be listed, tried again when the bug is gone, and dropped', async (t) => {
  const { house, operator } = await stageOf(t);
  const { bug, clumsy } = clumsyAgent();
  await serveHere(t, house, { actors: [clumsy] });
  for (const n of [-1, -2, -3]) await tell(operator, 'k0', n);
  await untilParked(operator, 3);
  const [first, second, third] = (await parkedOf(operator)) as [Parked, Parked, Parked];
  t.deepEqual(
    [first, second, third].map(({ data }) => unpack(data)),
    [-1, -2, -3].map((n) => ({ run: 'r1', key: 'k0', n })),
  );
  // 1. too early
  await retryParked(operator, first);
  await until('it is parked again', async () => (await parkedOf(operator)).length === 3 && bug.tries === 20);
  const [, , again] = (await parkedOf(operator)) as [Parked, Parked, Parked];
  // 2. the bug is gone: each may be asked for twice
  bug.there = false;
  for (const one of [again, second, again, second]) await retryParked(operator, one).catch(() => undefined);
  await untilQuiet(operator, ['agent']);
  t.deepEqual(await numbersOf(operator, 'agent', 'r1.k0'), [-1, -2]);
  t.deepEqual(
    (await parkedOf(operator)).map(({ id }) => id),
    [third.id],
  );
  // 3. nobody wants the third
  await dropParked(operator, third);
  t.deepEqual(await parkedOf(operator), []);
});

const plain: Omit<Outgoing, 'id' | 'subject'> = { cause: null, schema: 1, due: null, failure: null, data: pack(null) };
const body = (n: number) => pack({ run: 'r1', key: 'k0', n });
const toAgent = 'msg.agent.r1.k0.operator.number-told';

test('whatever comes in a body or under a name is parked with the reason', async (t) => {
  const { house, operator } = await stageOf(t);
  await serveHere(t, house, { actors: [agent] });
  const cases: [FailureCode, Partial<Outgoing>][] = [
    ['bus/empty-body', { data: new Uint8Array() }],
    ['bus/unreadable-body', { data: Buffer.from([0x92, 1]) }],
    ['bus/unreadable-body', { data: Buffer.alloc(100_000, 0x91) }],
    ['bus/unfit-body', { data: pack({ run: 'r1', key: 'k0', n: 'one' }) }],
    ['bus/unfit-body', { data: pack({ run: 'r1', key: 'k0', n: 1, more: 1 }) }],
    ['bus/unfit-body', { data: pack([]) }],
    ['bus/newer-schema', { schema: 2, data: body(1) }],
    ['bus/unknown-message', { subject: 'msg.agent.r1.k0.operator.number-unheard-of', data: body(1) }],
    ['bus/unknown-message', { subject: 'msg.agent.r1.k0.learner.number-told', data: body(1) }],
    ['bus/unknown-message', { subject: 'msg.agent.r1.k0.nobody.number-told', data: body(1) }],
    ['bus/unknown-message', { subject: 'msg.agent.r1', data: body(1) }],
    ['bus/unknown-message', { subject: 'msg.agent.r1.k0.operator.number-told.more', data: body(1) }],
    ['bus/unknown-message', { subject: 'msg.agent.*.k0.operator.number-told', data: body(1) }],
    ['bus/unknown-message', { subject: 'msg.agent.r1.>.operator.number-told', data: body(1) }],
    ['bus/unknown-message', { subject: 'msg.agent.r1.all$.operator.number-told', data: body(1) }],
  ];
  await tell(operator, 'k0', 0);
  for (const [index, [, out]] of cases.entries())
    await operator.publish({ ...plain, subject: toAgent, id: `case-${index}`, ...out });
  await tell(operator, 'k0', 1);
  // without any header it is a message all the same
  await operator.nc.jetstream().publish(toAgent, body(2));
  await untilQuiet(operator, ['agent']);
  const found = new Map((await parkedOf(operator)).map(({ cause, failure }) => [cause, failure?.code]));
  for (const [index, [code, out]] of cases.entries()) t.is(found.get(`case-${index}`), code, JSON.stringify(out));
  t.deepEqual(await numbersOf(operator, 'agent', 'r1.k0'), [0, 1, 2]);
});

test('no bytes at all do harm: two hundred random bodies are parked, and what follows them is handled', async (t) => {
  const { house, operator } = await stageOf(t);
  await serveHere(t, house, { actors: [agent] });
  const samples = fc.sample(fc.uint8Array({ maxLength: 200 }), { seed: seeded(t)(2 ** 31), numRuns: 200 });
  await Promise.all(
    samples.map((data, n) => operator.publish({ ...plain, subject: toAgent, id: `random-${n}`, data })),
  );
  await tell(operator, 'k0', 0);
  await untilQuiet(operator, ['agent']);
  const found = await codes(operator);
  t.is(found.length, 200);
  const expected: (FailureCode | undefined)[] = ['bus/empty-body', 'bus/unreadable-body', 'bus/unfit-body'];
  t.deepEqual(
    found.filter((code) => !expected.includes(code)),
    [],
  );
  t.deepEqual(await numbersOf(operator, 'agent', 'r1.k0'), [0]);
});

test('a record that somebody spoiled stays as it is, and what comes for it is parked until it is mended', async (t) => {
  const { house, operator } = await stageOf(t);
  const bucket = stateOf('agent');
  await serveHere(t, house, { actors: [agent] });
  for (const key of ['k0', 'k1']) await tell(operator, key, 0);
  await untilQuiet(operator, ['agent']);
  const good = await operator.load(bucket, 'r1.k0');
  const spoiled = Buffer.from('nobody can read this');
  const revision = await operator.save(bucket, 'r1.k0', { data: spoiled, expected: { key: good?.revision ?? 0 } });
  for (const key of ['k0', 'k1']) await tell(operator, key, 1);
  await untilQuiet(operator, ['agent']);
  t.deepEqual(await codes(operator), ['bus/unreadable-record']);
  t.deepEqual(await operator.load(bucket, 'r1.k0').then((there) => there && Buffer.from(there.data)), spoiled);
  t.deepEqual(await numbersOf(operator, 'agent', 'r1.k1'), [0, 1]);
  // mended
  await operator.save(bucket, 'r1.k0', { data: good?.data ?? spoiled, expected: { key: revision } });
  for (const one of await parkedOf(operator)) await retryParked(operator, one);
  await untilQuiet(operator, ['agent']);
  t.deepEqual(await numbersOf(operator, 'agent', 'r1.k0'), [0, 1]);
});

test('a record of newer code keeps what it handled and sends what it was to send, and nothing new is handled', async (t) => {
  const { house, operator } = await stageOf(t);
  await tell(operator, 'k0', 0);
  const sent = { ...plain, id: 'sent-by-newer-code', subject: 'msg.conductor.r1.k0.agent.number-kept', data: body(0) };
  const newer = { state: { numbers: [0], more: true }, cursor: 1, handled: '', outbox: [sent], epoch: 0 };
  const revision = await operator.save(stateOf('agent'), 'r1.k0', { data: pack(newer), expected: { key: 0 } });
  await serveHere(t, house, { actors: [agent, conductor] });
  await tell(operator, 'k0', 1);
  await untilQuiet(operator, ['agent', 'conductor']);
  t.deepEqual(await numbersOf(operator, 'conductor', 'r1.k0'), [0]);
  t.deepEqual(
    (await parkedOf(operator)).map(({ cause, failure }) => [cause, failure?.code]),
    [['told-k0-1', 'bus/unreadable-record']],
  );
  t.is((await operator.load(stateOf('agent'), 'r1.k0'))?.revision, revision);
});

test('a message that kills its process is parked after five deaths, and its neighbours get through', async (t) => {
  t.timeout(120_000);
  const { house, operator } = await stageOf(t);
  let deaths = -1;
  // one more each time, until the test ends
  let over = false;
  const startAgain = (): void => {
    deaths += 1;
    void launch(t, house.server.url, ['agent']).ended.then(() => over || startAgain());
  };
  // all are in the hands of the first process that dies
  const others = range(20).map((n) => `other${n}`);
  for (const key of ['k0', ...others]) await tell(operator, key, 0);
  await tell(operator, 'k0', deadly);
  for (const key of ['k0', ...others]) await tell(operator, key, 1);
  startAgain();
  await untilParked(operator, 1, 100).finally(() => {
    over = true;
  });
  await untilQuiet(operator, ['agent']);
  t.is(deaths, 5);
  t.deepEqual(await codes(operator), ['bus/process-died']);
  for (const key of ['k0', ...others]) t.deepEqual(await numbersOf(operator, 'agent', `r1.${key}`), [0, 1], key);
});
