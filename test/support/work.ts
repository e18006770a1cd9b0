import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { actor, type Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import type { Bus } from '#kit/bus';
import { pack, unpack } from '#kit/wire';
import { failure } from '#protocol/failure';
import { act, event, seal, token } from '#protocol/message';
import { actOf, type Consumer, maxBodyBytes, stateOf } from '#protocol/streams';

/** Work at an edge that goes in every way there is, as whoever asks for it wishes. */
const hows = ['done', 'lasts', 'throws', 'refused', 'unstoppable', 'stores', 'fetches', 'large', 'hopeless'] as const;
const asked = {
  run: token,
  n: z.int(),
  how: z.enum(hows),
  /** How long the first attempt lasts. */
  seconds: z.number().default(0),
  /** What it fetches. */
  hash: z.string().default(''),
};
type Asked = z.infer<z.ZodObject<typeof asked>>;
const to = { pod: '{run}.{run}' };
const told = { from: ['pod'], to: { conductor: '{run}.work' } } as const;
const piece = { run: token, n: z.int(), pid: z.int() };

export const workAsked = act('work-asked', { from: ['operator'], to, body: asked });
/** The same, and no time for it. */
export const hastyAsked = act('hasty-asked', { from: ['operator'], to, body: asked });
export const workBegun = event('work-begun', { ...told, body: { ...piece, attempt: z.int() } });
export const workStopped = event('work-stopped', { ...told, body: piece });
export const workDone = event('work-done', { ...told, body: { ...piece, note: z.string() } });
export const workFailed = event('work-failed', { ...told, body: { ...piece, failure } });

/** Shorter than the real one, so that what a process leaves is taken over sooner. */
export const workActs: Consumer[] = [workAsked, hastyAsked].map(({ name }) => ({
  ...actOf('pod', name),
  ackWaitSeconds: 4,
}));

const { pid } = process;

async function work({ run, n, how, seconds, hash }: Asked, call: Call): Promise<void> {
  await call.emit(workBegun, { run, n, pid, attempt: call.attempt });
  call.signal.addEventListener('abort', () => void call.emit(workStopped, { run, n, pid }).catch(() => undefined));
  if (call.attempt === 1) await sleep(seconds * 1000, undefined, how === 'unstoppable' ? {} : { signal: call.signal });
  if (how === 'throws') throw new Error('it broke');
  if (how === 'refused' || how === 'hopeless') throw new Failed('edge/refused', 'they said no');
  if (how === 'stores') await storeAndFetch(new Uint8Array(n).fill(n % 251), call);
  if (how === 'fetches') await call.blobs.get('probe', hash);
  call.send(workDone, { run, n, pid, note: how === 'large' ? 'x'.repeat(maxBodyBytes) : '' });
}

async function storeAndFetch(bytes: Uint8Array, { blobs }: Call): Promise<void> {
  const back = await blobs.get('probe', await blobs.put('probe', bytes));
  if (Buffer.compare(bytes, back) !== 0) throw new Failed('edge/refused', 'what came back is not what was stored');
}

const edge = {
  failed: ({ run, n, how }: Asked, failed: z.infer<typeof failure>, call: Pick<Call, 'send'>) => {
    if (how === 'hopeless') throw new Error('a bug where failures are told');
    call.send(workFailed, { run, n, pid, failure: failed });
  },
  slots: 2,
};

export const worker = actor('pod', {}, {})
  .edge(workAsked, work, { ...edge, seconds: 100 })
  .edge(hastyAsked, work, { ...edge, seconds: 1 });

const heard = {
  begun: z.array(workBegun.body),
  stopped: z.array(workStopped.body),
  done: z.array(workDone.body),
  failed: z.array(workFailed.body),
};
export type Heard = z.infer<z.ZodObject<typeof heard>>;
const nothing: Heard = { begun: [], stopped: [], done: [], failed: [] };

/** Hears what becomes of the work. */
export const foreman = actor('conductor', heard, nothing)
  .on(workBegun, (state, one) => ({ ...state, begun: [...state.begun, one] }))
  .on(workStopped, (state, one) => ({ ...state, stopped: [...state.stopped, one] }))
  .on(workDone, (state, one) => ({ ...state, done: [...state.done, one] }))
  .on(workFailed, (state, one) => ({ ...state, failed: [...state.failed, one] }));

export async function ask(bus: Bus, message: typeof workAsked, body: Partial<Asked> & Pick<Asked, 'run' | 'how'>) {
  const [sealed] = seal(message, { n: 1, seconds: 0, hash: '', ...body }, 'operator');
  if (!sealed) throw new Error('nobody to ask');
  const id = `${body.run}-${body.n ?? 1}-${message.name}`;
  const data = pack(sealed.body);
  await bus.publish({ id, cause: null, due: null, failure: null, schema: 1, subject: sealed.subject, data });
}

/** What the foreman has heard of a run. */
export async function heardOf(bus: Bus, run: string): Promise<Heard> {
  const found = await bus.load(stateOf('conductor'), `${run}.work`);
  return found ? (unpack(found.data) as { state: Heard }).state : nothing;
}
