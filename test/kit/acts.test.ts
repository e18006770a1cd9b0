// An act at an edge has one outcome, told once, whoever runs it and however often.
import { createHash, randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { perform } from '#kit/acts';
import { blobs } from '#kit/blobs';
import { Failed } from '#kit/boundary';
import type { Bus } from '#kit/bus';
import { loadClaim, saveClaim } from '#kit/claim';
import { loadIds } from '#kit/ids';
import type { Delivery } from '#kit/nats';
import { listParked } from '#kit/park';
import { pack } from '#kit/wire';
import { blobPartBytes, blobStream, stateOf } from '#protocol/streams';
import { flatHouse, type House, until } from '../support/house.ts';
import { startProcess } from '../support/processes.ts';
import { range, serveHere } from '../support/story.ts';
import { ask, foreman, type Heard, hastyAsked, heardOf, workActs, workAsked, worker } from '../support/work.ts';

interface Stage {
  readonly house: House;
  readonly operator: Bus;
}

async function stageOf(t: Pick<ExecutionContext, 'teardown'>, workers: number): Promise<Stage> {
  const house = await flatHouse(t, 'current', workActs);
  await serveHere(t, house, { actors: [foreman] });
  await serveHere(t, house, { actors: range(workers).map(() => worker) });
  return { house, operator: await house.bus('operator') };
}

/** Waits until so many were heard of; says what was heard. */
async function untilHeard(operator: Bus, run: string, wanted: Partial<Record<keyof Heard, number>>): Promise<Heard> {
  const isThere = (heard: Heard): boolean =>
    Object.entries(wanted).every(([what, count]) => heard[what as keyof Heard].length >= count);
  await until(`${run}: ${JSON.stringify(wanted)}`, async () => isThere(await heardOf(operator, run)), 40);
  return await heardOf(operator, run);
}

const codes = ({ failed }: Heard): string[] => failed.map(({ failure }) => failure.code);

/** One stage for all that needs no process of its own; each test has a run of its own. */
const ends: (() => unknown)[] = [];
let shared: Stage;
test.before(async () => {
  shared = await stageOf({ teardown: (end) => void ends.push(end) }, 2);
});
test.after.always(async () => {
  for (const end of ends.reverse()) await end();
});

test('an act that lasts longer than an ack wait runs once', async (t) => {
  const { operator } = shared;
  await ask(operator, workAsked, { run: 'lasting', how: 'lasts', seconds: 9 });
  const heard = await untilHeard(operator, 'lasting', { done: 1 });
  t.is(heard.begun.length, 1);
  t.is(heard.stopped.length, 0);
});

test('an edge that throws is tried five times, then its failure is told', async (t) => {
  const { operator } = shared;
  await ask(operator, workAsked, { run: 'throwing', how: 'throws' });
  const heard = await untilHeard(operator, 'throwing', { failed: 1 });
  t.deepEqual(
    heard.begun.map(({ attempt }) => attempt),
    [1, 2, 3, 4, 5],
  );
  t.deepEqual(codes(heard), ['edge/threw']);
  t.regex(heard.failed[0]?.failure.detail ?? '', /it broke/);
});

test('a refusal, an overrun and an outcome that is too large are told at once', async (t) => {
  const { operator } = shared;
  await ask(operator, workAsked, { run: 'refused', how: 'refused' });
  await ask(operator, hastyAsked, { run: 'overrun', how: 'lasts', seconds: 50 });
  await ask(operator, hastyAsked, { run: 'unstoppable', how: 'unstoppable', seconds: 3 });
  await ask(operator, workAsked, { run: 'large', how: 'large' });
  const expected = {
    refused: 'edge/refused',
    overrun: 'edge/overran',
    unstoppable: 'edge/overran',
    large: 'bus/too-large',
  };
  for (const [run, code] of Object.entries(expected)) {
    const heard = await untilHeard(operator, run, { failed: 1 });
    t.deepEqual(codes(heard), [code], run);
    t.is(heard.begun.length, 1, run);
    t.is(heard.done.length, 0, run);
  }
});

test('an act whose failure cannot be told, and one whose body cannot be read, are parked', async (t) => {
  const { operator } = shared;
  await ask(operator, workAsked, { run: 'hopeless', how: 'hopeless' });
  const garbage = { id: 'garbage', cause: null, due: null, failure: null, schema: 1, data: Buffer.from([0x92, 1]) };
  await operator.publish({ ...garbage, subject: 'act.pod.garbage.garbage.operator.work-asked' });
  const parked = async (): Promise<Record<string, string | undefined>> => {
    const found: Record<string, string | undefined> = {};
    for await (const { was, failure } of listParked(operator, 'pod')) found[was] = failure?.code;
    return found;
  };
  await until('both are parked', async () => Object.keys(await parked()).length === 2);
  t.deepEqual(await parked(), {
    'act.pod.hopeless.hopeless.operator.work-asked': 'bus/handler-threw',
    'act.pod.garbage.garbage.operator.work-asked': 'bus/unreadable-body',
  });
});

test('blobs of no byte, one byte and many parts come back as they were stored', async (t) => {
  const { operator } = shared;
  for (const n of [0, 1, 3 * 2 ** 20]) await ask(operator, workAsked, { run: 'blobs', n, how: 'stores' });
  t.is((await untilHeard(operator, 'blobs', { done: 3 })).failed.length, 0);
});

test('of a blob, a missing part and a corrupt part are noticed, and told', async (t) => {
  const { operator } = shared;
  const { put, get } = blobs(operator);
  const stream = blobStream('probe');
  const parts = range(3).map(() => randomBytes(2 * blobPartBytes + 1));
  const [whole = '', missing = '', corrupt = ''] = await Promise.all(parts.map((bytes) => put('probe', bytes)));
  const part = await operator.last(stream, `blob.probe.${missing}.1`);
  await operator.remove(stream, part?.seq ?? 0);
  const forged = {
    id: 'forged',
    cause: null,
    due: null,
    failure: null,
    schema: 0,
    data: Buffer.from('something else'),
  };
  await operator.publish({ ...forged, subject: `blob.probe.${corrupt}.1` });
  t.is(Buffer.compare(await get('probe', whole), parts[0] ?? Buffer.alloc(0)), 0);
  const nowhere = createHash('sha256').update('nobody stored this').digest('hex');
  for (const [hash, code] of [
    [missing, 'blob/missing'],
    [nowhere, 'blob/missing'],
    [corrupt, 'blob/corrupt'],
  ] as const)
    t.is((await t.throwsAsync(get('probe', hash), { instanceOf: Failed }))?.code, code);
  await ask(operator, workAsked, { run: 'fetching', how: 'fetches', hash: corrupt });
  const heard = await untilHeard(operator, 'fetching', { failed: 1 });
  t.deepEqual(codes(heard), ['blob/corrupt']);
  t.is(heard.begun.length, 1);
});

test('no process holds an act that it is not working on: the next one goes to the first slot that is free', async (t) => {
  t.timeout(60_000);
  const { operator } = await stageOf(t, 2);
  const lasting = (n: number, seconds: number) => ask(operator, workAsked, { run: 'slots', n, how: 'lasts', seconds });
  for (const n of range(3)) await lasting(n, 9);
  await lasting(3, 1);
  await untilHeard(operator, 'slots', { begun: 4 });
  await lasting(4, 9);
  await until('the fifth has a slot', async () => (await heardOf(operator, 'slots')).begun.length === 5, 4);
  const heard = await untilHeard(operator, 'slots', { done: 5 });
  t.deepEqual(heard.begun.map(({ n }) => n).sort(), range(5));
});

test('an act whose process is killed -9 is run again elsewhere, and its outcome is told once', async (t) => {
  t.timeout(60_000);
  const { house, operator } = await stageOf(t, 0);
  const victim = await startProcess(t, house.server.url, ['worker']);
  await ask(operator, workAsked, { run: 'orphan', how: 'lasts', seconds: 90 });
  await untilHeard(operator, 'orphan', { begun: 1 });
  await serveHere(t, house, { actors: [worker] });
  await victim.kill9();
  const heard = await untilHeard(operator, 'orphan', { done: 1 });
  t.deepEqual(
    heard.begun.map(({ pid, attempt }) => [pid, attempt]),
    [
      [victim.pid, 1],
      [process.pid, 2],
    ],
  );
});

test('a frozen process whose acts were taken over tells no outcome of them, and stops them', async (t) => {
  t.timeout(90_000);
  const { house, operator } = await stageOf(t, 0);
  const frozen = await startProcess(t, house.server.url, ['worker']);
  // one will be over when it wakes up, the other one not
  for (const seconds of [3, 90]) await ask(operator, workAsked, { run: 'frozen', n: seconds, how: 'lasts', seconds });
  await untilHeard(operator, 'frozen', { begun: 2 });
  frozen.freeze();
  await serveHere(t, house, { actors: [worker] });
  await untilHeard(operator, 'frozen', { done: 2 });
  frozen.thaw();
  const { stopped } = await untilHeard(operator, 'frozen', { stopped: 1 });
  t.deepEqual(stopped, [{ run: 'frozen', n: 90, pid: frozen.pid }]);
  await ask(operator, workAsked, { run: 'later', how: 'done' });
  await untilHeard(operator, 'later', { done: 1 });
  t.deepEqual(
    (await heardOf(operator, 'frozen')).done.map(({ pid }) => pid),
    [process.pid, process.pid],
  );
});

test('a process that stops hands its act on at once, and that is no failed attempt', async (t) => {
  t.timeout(60_000);
  const { house, operator } = await stageOf(t, 0);
  const stopping = await startProcess(t, house.server.url, ['worker']);
  await ask(operator, workAsked, { run: 'handed', how: 'lasts', seconds: 5 });
  await untilHeard(operator, 'handed', { begun: 1 });
  await serveHere(t, house, { actors: [worker] });
  stopping.child.kill('SIGTERM');
  t.deepEqual(await stopping.ended, { code: 0, signal: null });
  await until('it was begun elsewhere', async () => (await heardOf(operator, 'handed')).begun.length === 2, 3);
  const heard = await untilHeard(operator, 'handed', { done: 1 });
  t.deepEqual(
    heard.begun.map(({ pid, attempt }) => [pid, attempt]),
    [
      [stopping.pid, 1],
      [process.pid, 1],
    ],
  );
});

test('the holder of an earlier lease does not take an act over from that of a later one', async (t) => {
  const { operator: bus } = shared;
  const { attempts, outcome, revision } = await loadClaim(bus, 'learner', 'contested');
  await saveClaim(bus, 'learner', { id: 'contested', claim: { attempts, outcome, revision, epoch: 9 } });
  const [edge] = worker.edges;
  const fates: string[] = [];
  const delivery: Delivery = {
    subject: 'act.learner.r1.r1.operator.work-asked',
    ...{ seq: 1, at: 0, id: 'contested', cause: null, schema: 1, due: null, failure: null, tries: 1, deliverySeq: 1 },
    data: pack({ run: 'contested', n: 1, how: 'done', seconds: 0, hash: '' }),
    ack: () => void fates.push('ack'),
    nak: () => void fates.push('nak'),
    working: () => undefined,
  };
  const deps = {
    bus,
    service: 'learner',
    ids: await loadIds(bus, stateOf('learner')),
    signal: new AbortController().signal,
  } as const;
  for (const epoch of [8, 9] as const) if (edge) await perform({ ...deps, epoch }, edge, delivery);
  t.deepEqual(fates, ['ack'], 'the one of epoch 9 brought it to its end');
  t.truthy((await loadClaim(bus, 'learner', 'contested')).outcome);
});
