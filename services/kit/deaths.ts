import { z } from 'zod';
import type { Service } from '#protocol/roles';
import { actsOf } from '#protocol/streams';
import { type Bus, Conflict } from './bus.ts';
import { pack, type Stored, unpack } from './wire.ts';

/**
 * How many processes died of a message is not how often it was handed out: a process that dies takes hundreds of innocent
 * ones with it. So whoever is given one that was handed out before writes down that it begins it, and begins only one
 * such at a time: if the process dies then, this is the one.
 */
const mark = z.strictObject({ id: z.string(), begun: z.number() });

export interface Begun {
  readonly message: Pick<Stored, 'id' | 'seq'>;
  /** How often the delivery was handed out that led to this message. */
  readonly tries: number;
  /** Was it itself handed out, or found before another one of its instance? */
  readonly own: boolean;
}

/**
 * To be told before a message is begun. Answers with the number of processes that it is known to have killed, or undefined
 * where that is not to be tried again but by its own next hand-out, of which there is one at a time.
 */
export async function begin(bus: Bus, service: Service, one: Begun): Promise<number | undefined> {
  const { message, tries, own } = one;
  const { id, seq } = message;
  if (own && tries === 1) return 0;
  const key = `turn.${seq}`;
  const found = await bus.load(actsOf(service), key);
  const there = found ? mark.parse(unpack(found.data)) : undefined;
  // where a mail was emptied, its places are given to other messages
  const begun = there?.id === id ? there.begun : 0;
  if (!own && begun > 0) return undefined;
  if (tries === 1) return 0;
  try {
    const data = pack({ id, begun: begun + 1 });
    await bus.save(actsOf(service), key, { data, expected: { key: found?.revision ?? 0 } });
    return begun + 1; // the first time was not written down
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return own ? await begin(bus, service, one) : undefined;
  }
}
