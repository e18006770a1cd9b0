import { valueStream } from '#protocol/streams';
import type { Value } from '#protocol/value';
import type { Bus } from './bus.ts';
import { unpack } from './wire.ts';

/** What a value is now, or undefined where it was never set. Throws when what lies there does not fit its schema. */
export async function getValue<B extends { version: number }>(
  bus: Bus,
  value: Value<B>,
  address: string,
): Promise<B | undefined> {
  const found = await bus.load(valueStream(value.name), address);
  return found && value.body.parse(unpack(found.data));
}
