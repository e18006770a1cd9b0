import { accountOf, maxBodyBytes, maxOutboxBytes } from '#protocol/streams';
import type { Sent } from './actor.ts';
import { tooLarge } from './boundary.ts';
import { type Bus, Conflict } from './bus.ts';
import type { Ids } from './ids.ts';
import { type Outgoing, pack, unpack } from './wire.ts';

/**
 * Turns what a handler or an edge sent into what is published, with ids derived from cause, sender and index. Throws
 * `bus/too-large` here, because later nobody could do anything about it.
 */
export function address(
  sent: readonly Sent[],
  from: { cause: string; sender: string; key: string; ids: Ids },
): Outgoing[] {
  const [role = ''] = from.sender.split('.');
  const outbox = sent.map((one, index) => {
    const common = { id: from.ids(from.cause, from.sender, index), cause: from.cause, failure: null };
    if (one.kind === 'value') {
      const subject = `$KV.value_${one.value.name}.${from.key}`;
      return { ...common, subject, schema: 0, due: null, data: packBody(subject, one.body) };
    }
    const { subject, schema, body } = one.sealed;
    const data = packBody(subject, body);
    return { ...common, subject: one.due === null ? subject : `later.${role}.${subject}`, schema, due: one.due, data };
  });
  const bytes = outbox.reduce((sum, { data }) => sum + data.length, 0);
  if (bytes > maxOutboxBytes) throw tooLarge(`all that ${from.sender} sends at once`, bytes, maxOutboxBytes);
  return outbox;
}

function packBody(subject: string, body: unknown): Uint8Array {
  const data = pack(body);
  if (data.length > maxBodyBytes) throw tooLarge(subject, data.length, maxBodyBytes);
  return data;
}

/** Sends a saved outbox: in order for each receiver, and to different receivers in parallel. */
export async function sendAll(bus: Bus, outbox: readonly Outgoing[]): Promise<void> {
  if (outbox.length < 2) return await sendInOrder(bus, outbox);
  const lanes = new Map<string, Outgoing[]>();
  for (const one of outbox) lanes.set(receiverOf(one), [...(lanes.get(receiverOf(one)) ?? []), one]);
  await Promise.all([...lanes.values()].map((lane) => sendInOrder(bus, lane)));
}

async function sendInOrder(bus: Bus, outbox: readonly Outgoing[]): Promise<void> {
  for (const one of outbox) await (isValue(one) ? setValue(bus, one) : bus.publish(one));
}

const isValue = ({ subject }: Outgoing): boolean => subject.startsWith('$KV.');

/** `msg.<to>.<run>.<key>`: one instance of one actor. */
const receiverOf = ({ subject }: Outgoing): string => subject.split('.').slice(0, 4).join('.');

/** The greater version wins, in whatever order they are set. */
async function setValue(bus: Bus, { subject, data }: Outgoing): Promise<void> {
  const [, name = '', ...key] = subject.split('.');
  const bucket = { name: `KV_${name}`, account: accountOf(subject) };
  const there = await bus.load(bucket, key.join('.'));
  if (there && versionOf(there.data) >= versionOf(data)) return;
  try {
    await bus.save(bucket, key.join('.'), { data, expected: { key: there?.revision ?? 0 } });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    await setValue(bus, { subject, data } as Outgoing);
  }
}

const versionOf = (data: Uint8Array): number => Number(Object(unpack(data)).version ?? -1);
