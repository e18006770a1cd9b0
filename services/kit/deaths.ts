import { z } from 'zod';
import type { Service } from '#protocol/roles';
import { actsOf } from '#protocol/streams';
import { type Bus, Conflict } from './bus.ts';
import { pack, type Stored, unpack } from './wire.ts';

/**
 * The number of deliveries of a message does not tell how many processes it has killed: a process that dies also drops
 * hundreds of innocent messages. So before a process begins a message that was delivered before, it records that, and
 * it begins only one such message at a time: if the process dies then, this message is the cause.
 */
const mark = z.strictObject({ id: z.string(), begun: z.number() });

export interface Begun {
  readonly message: Pick<Stored, 'id' | 'seq'>;
  /** How many times the delivery that led to this message has been made. */
  readonly tries: number;
  /** Whether it was itself delivered, or was found ahead of another message of its instance. */
  readonly own: boolean;
}

/**
 * Called before a message is begun. Returns the number of processes that it is known to have killed; or undefined if it
 * must be left to its own next delivery, of which there is only one at a time.
 */
export async function begin(bus: Bus, service: Service, one: Begun): Promise<number | undefined> {
  const { message, tries, own } = one;
  const { id, seq } = message;
  if (own && tries === 1) return 0;
  const key = `turn.${seq}`;
  const found = await bus.load(actsOf(service), key);
  const there = found ? mark.parse(unpack(found.data)) : undefined;
  // after a mail stream was emptied, its sequence numbers belong to other messages
  const begun = there?.id === id ? there.begun : 0;
  if (!own && begun > 0) return undefined;
  if (tries === 1) return 0;
  try {
    const data = pack({ id, begun: begun + 1 });
    await bus.save(actsOf(service), key, { data, expected: { key: found?.revision ?? 0 } });
    return begun + 1; // the first time was not recorded
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return own ? await begin(bus, service, one) : undefined;
  }
}
