// What is too large is refused where it is still known whose fault it is, and stops nobody.
import { randomUUID } from 'node:crypto';
import { connect as connectTcp } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { actor } from '#kit/actor';
import { blobs } from '#kit/blobs';
import { Failed } from '#kit/boundary';
import type { Bus } from '#kit/bus';
import { listParked } from '#kit/park';
import { pack, unpack } from '#kit/wire';
import { workspaces } from '#protocol/episode';
import type { FailureCode } from '#protocol/failure';
import { command, event, seal, token } from '#protocol/message';
import { blobPartBytes, maxBodyBytes, maxMessageBytes, maxStateBytes, stateOf } from '#protocol/streams';
import { both, either, flatHouse } from '../support/house.ts';
import { serveHere, untilQuiet } from '../support/story.ts';

const whats = ['keep', 'send', 'send-twice', 'later', 'misfit'] as const;
const body = { run: token, key: token, what: z.enum(whats), bytes: z.int() };
const loadTold = command('load-told', { from: ['operator'], to: { agent: '{run}.{key}' }, body });
const load = { run: token, key: token, load: z.string() };
const loadKept = event('load-kept', { from: ['agent'], to: { conductor: '{run}.{key}' }, body: load });
const state = { kept: z.string(), count: z.int() };

/** Keeps and sends as much as it is told to. */
const porter = actor('agent', state, { kept: '', count: 0 }).on(loadTold, (had, { run, key, what, bytes }, turn) => {
  const much = 'x'.repeat(bytes);
  const next = { ...had, count: had.count + 1 };
  if (what === 'misfit') return { ...next, count: 0.5 };
  if (what === 'keep') return { ...next, kept: much };
  if (what === 'later') turn.later(0, loadKept, { run, key, load: much });
  else turn.send(loadKept, { run, key, load: much });
  if (what === 'send-twice') turn.send(loadKept, { run, key, load: much });
  return next;
});

/** How large what came was. */
const weigher = actor('conductor', { sizes: z.array(z.int()) }, { sizes: [] }).on(loadKept, (had, told) => ({
  sizes: [...had.sizes, told.load.length],
}));

let said = 0;
async function say(bus: Bus, what: (typeof whats)[number], bytes: number): Promise<string> {
  said += 1;
  const id = `${what}-${said}`;
  const common = { id, cause: null, due: null, failure: null };
  for (const { subject, schema, body: told } of seal(loadTold, { run: 'r1', key: 'k0', what, bytes }, 'operator'))
    await bus.publish({ ...common, subject, schema, data: pack(told) });
  return id;
}

const stateAt = async (bus: Bus, service: 'agent' | 'conductor') =>
  (
    unpack((await bus.load(stateOf(service), 'r1.k0'))?.data ?? pack({})) as {
      state: { count: number; sizes: number[] };
    }
  ).state;

async function parkedCodes(bus: Bus): Promise<Map<string | null, FailureCode | undefined>> {
  const found = new Map<string | null, FailureCode | undefined>();
  for await (const { cause, failure } of listParked(bus, 'agent')) found.set(cause, failure?.code);
  return found;
}

/** What the frame of a body of `loadKept` takes. */
const frame = pack({ run: 'r1', key: 'k0', load: 'x'.repeat(70_000) }).length - 70_000;

for (const which of either('oldest'))
  test(`${which} server: a handler that keeps or sends too much has its message parked, and the next is handled`, async (t) => {
    t.timeout(60_000);
    const house = await flatHouse(t, which);
    const operator = await house.bus('operator');
    await serveHere(t, house, { actors: [porter] });
    await serveHere(t, house, { actors: [weigher] });
    const expected = new Map<string, FailureCode | undefined>();
    const tell = async (what: (typeof whats)[number], bytes: number, code?: FailureCode): Promise<void> =>
      void expected.set(await say(operator, what, bytes), code);
    await tell('send', maxBodyBytes + 1, 'bus/too-large');
    await tell('later', maxBodyBytes + 1, 'bus/too-large');
    await tell('keep', maxBodyBytes, 'bus/too-large');
    await tell('send', maxBodyBytes - frame);
    await tell('later', maxBodyBytes - frame);
    // beside the largest state there is room for the largest message, parked
    await tell('keep', maxStateBytes - 1_000);
    const data = Buffer.alloc(maxMessageBytes - 1_000, 0xc0);
    await operator.publish({
      ...{ id: 'largest', cause: null, due: null, failure: null, schema: 1, data },
      subject: 'msg.agent.r1.k0.operator.load-told',
    });
    expected.set('largest', 'bus/unreadable-body');
    // and for as much to be sent, but not for two of them
    await tell('send', maxBodyBytes - frame);
    await tell('keep', 0);
    await tell('send-twice', maxBodyBytes - frame, 'bus/too-large');
    await tell('misfit', 0, 'bus/handler-threw');
    await tell('send', 1);
    await untilQuiet(operator, ['agent', 'conductor']);
    const found = await parkedCodes(operator);
    for (const [id, code] of expected) t.is(found.get(id), code, id);
    t.is((await stateAt(operator, 'agent')).count, [...expected.values()].filter((code) => code === undefined).length);
    const { sizes } = await stateAt(operator, 'conductor');
    t.deepEqual(sizes.sort(), [1, ...Array<number>(3).fill(maxBodyBytes - frame)]);
  });

/** What a server says to a client that heeds no limit. */
function answerTo(t: ExecutionContext, port: number, payload: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connectTcp(port, '127.0.0.1', () => {
      socket.write('CONNECT {"verbose":false}\r\n');
      socket.write(`PUB msg.agent.r1.k0.operator.load-told ${payload}\r\n`);
    });
    socket.on('data', (chunk) => {
      heard += chunk;
      if (heard.includes('-ERR')) resolve(heard);
    });
    socket.on('error', reject);
    t.teardown(() => socket.destroy());
  });
}

for (const which of both)
  test(`${which} server: fifty megabytes are refused by the server, and by the bus without trying again`, async (t) => {
    const house = await flatHouse(t, which);
    const operator = await house.bus('operator');
    t.regex(await answerTo(t, house.server.port, 50e6), /Maximum Payload Violation/);
    const out = { id: 'much', cause: null, due: null, failure: null, schema: 1 };
    const subject = 'msg.agent.r1.k0.operator.load-told';
    for (const bytes of [50e6, maxMessageBytes + 1]) {
      const data = new Uint8Array(bytes);
      const error = await t.throwsAsync(operator.publish({ ...out, subject, data }), { instanceOf: Failed });
      t.is(error?.code, 'bus/too-large');
    }
    await operator.publish({ ...out, subject, data: pack(null) });
  });

for (const which of either('oldest'))
  test(`${which} server: a blob larger than its store may have is not stored, and not read into anybody's memory`, async (t) => {
    const bus = await (await flatHouse(t, which)).bus('operator');
    const { name: store, mostBytes } = workspaces;
    const { put, get } = blobs(bus);
    const codeOf = async (work: Promise<unknown>) => (await t.throwsAsync(work, { instanceOf: Failed }))?.code;
    t.is(await codeOf(put(store, new Uint8Array(mostBytes + 1))), 'bus/too-large');
    const hash = 'a'.repeat(64);
    const forge = (part: number | 'all', data: Uint8Array): Promise<void> => {
      const subject = `blob.${store}.${hash}.${part}`;
      return bus.publish({
        subject,
        id: randomUUID(),
        cause: null,
        due: null,
        failure: null,
        schema: 0,
        data,
      });
    };
    for (const parts of [mostBytes / blobPartBytes + 2, 1e9]) {
      await forge('all', pack({ bytes: 1, parts }));
      t.is(await codeOf(get(store, hash)), 'bus/too-large');
    }
    await forge('all', pack({ bytes: 1, parts: 1 }));
    await forge(0, new Uint8Array(blobPartBytes + 1));
    t.is(await codeOf(get(store, hash)), 'blob/corrupt');
  });
