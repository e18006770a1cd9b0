import { createHmac, randomBytes } from 'node:crypto';
import type { Stream } from '#protocol/streams';
import { type Bus, Conflict } from './bus.ts';

/**
 * T3: the id of a message is derived from the id of its cause, its sender and its index, so sending twice is sending
 * once. It is keyed with a secret of the role: whoever could predict an id could publish it first, and the server would
 * drop the true message as a duplicate.
 */
export type Ids = (cause: string, sender: string, index: number | string) => string;

export const idsFrom =
  (secret: Uint8Array): Ids =>
  (cause, sender, index) =>
    createHmac('sha256', secret).update(`${cause} ${sender} ${index}`).digest('base64url').slice(0, 22);

/** The secret is made by the first process of the role and shared by all that follow. */
export async function loadIds(bus: Bus, state: Stream): Promise<Ids> {
  const key = 'all.secret';
  const there = await bus.load(state, key);
  if (there) return idsFrom(there.data);
  try {
    const data = randomBytes(32);
    await bus.save(state, key, { data, expected: { key: 0 } });
    return idsFrom(data);
  } catch (error) {
    if (error instanceof Conflict) return await loadIds(bus, state);
    throw error;
  }
}
