import { bucketName, valueStream } from '#protocol/streams';
import type { Value } from '#protocol/value';
import type { Bus } from './bus.ts';
import { log } from './log.ts';
import { unpack } from './wire.ts';

/** The current value; undefined if it was never set. Throws if what is stored does not fit its schema. */
export async function getValue<B extends { version: number }>(
  bus: Bus,
  value: Value<B>,
  address: string,
): Promise<B | undefined> {
  const found = await bus.load(valueStream(value.name), address);
  return found && value.body.parse(unpack(found.data));
}

interface Entry<B> {
  readonly address: string;
  readonly body: B;
  /** Place in its stream: entries that were set later have greater ones. */
  readonly seq: number;
}

/**
 * Every entry of a value in one run, or in all runs, in the order in which they were last set. An entry that is set
 * meanwhile may come twice, the newer one later. An entry that does not fit its schema, because an older Uplift wrote
 * it, is skipped.
 */
export const eachValue = <B extends { version: number }>(
  bus: Bus,
  value: Value<B>,
  run = '*',
): AsyncGenerator<Entry<B>> => eachChange(bus, value, { run, from: 1 });

/** Only those entries whose `seq` is at least `from`: continuing after the last one reads nothing twice. */
export async function* eachChange<B extends { version: number }>(
  bus: Bus,
  value: Value<B>,
  { run, from: first }: { run: string; from: number },
): AsyncGenerator<Entry<B>> {
  const stream = valueStream(value.name);
  const prefix = `$KV.${bucketName(stream)}.`;
  for (let from = first; ; ) {
    const found = await bus.next(stream, `${prefix}${run}.*`, from);
    if (!found) return;
    const address = found.subject.slice(prefix.length);
    const body = fitting(value, address, found.data);
    if (body) yield { address, body, seq: found.seq };
    from = found.seq + 1;
  }
}

function fitting<B extends { version: number }>(value: Value<B>, address: string, data: Uint8Array): B | undefined {
  try {
    return value.body.parse(unpack(data));
  } catch (error) {
    log.warn({ value: value.name, address, error: String(error) }, 'a value does not fit and is passed over');
    return undefined;
  }
}
