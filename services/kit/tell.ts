import { randomUUID } from 'node:crypto';
import { type Message, seal } from '#protocol/message';
import type { Role } from '#protocol/roles';
import type { Bus } from './bus.ts';
import { pack } from './wire.ts';

/**
 * Sends a message as the role that is logged in: for people and launchers, who have no turns. Each call sends a new
 * message.
 */
export async function tell<B>(bus: Bus, message: Message<B>, body: B): Promise<void> {
  const role = bus.role as Role; // whoever has logged in is one of the roles
  for (const { subject, schema, body: sealed } of seal(message, body, role))
    await bus.publish({ subject, id: randomUUID(), cause: null, schema, due: null, failure: null, data: pack(sealed) });
}
