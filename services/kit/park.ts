import type { Failure } from '#protocol/failure';
import { isService, type Service } from '#protocol/roles';
import { parkedOf } from '#protocol/streams';
import { failureOf } from './boundary.ts';
import type { Bus } from './bus.ts';
import type { Ids } from './ids.ts';
import { log } from './log.ts';
import { turns } from './metrics.ts';
import type { Delivery } from './nats.ts';
import type { Outgoing, Stored } from './wire.ts';

/**
 * A message that could not be handled, unchanged, with the reason; its subject is
 * `parked.<to>.<lane>.<run>.<key>.<from>.<name>`.
 */
export function parkedOutgoing(message: Stored, { code, detail }: Failure, ids: Ids): Outgoing {
  const failure = failureOf(code, detail);
  const [lane, to = '', ...rest] = message.subject.split('.');
  log.error({ subject: message.subject, id: message.id, failure }, 'a message was parked');
  return {
    subject: ['parked', to, lane, ...rest].join('.'),
    id: ids(message.id, 'parked', message.seq),
    cause: message.id,
    schema: message.schema,
    due: null,
    failure,
    data: message.data,
  };
}

interface Parking {
  readonly bus: Bus;
  readonly ids: Ids;
  readonly actor: { readonly name: Service };
}

/** Parks a message without a record to save that in: directly, under an id that is always the same. */
export async function parkAlone({ bus, ids, actor }: Parking, delivery: Delivery, failure: Failure): Promise<void> {
  await bus.publish(parkedOutgoing(delivery, failure, ids));
  turns.inc({ actor: actor.name, outcome: 'parked' });
  delivery.ack();
}

export interface Parked extends Stored {
  readonly service: Service;
  /** The subject that it was sent to. */
  readonly was: string;
}

/** Parked messages, oldest first, from sequence number `first` on. */
export async function* listParked(bus: Bus, service: Service, first = 1): AsyncGenerator<Parked> {
  for (let from = first; ; ) {
    const found = await bus.next(parkedOf(service), `parked.${service}.>`, from);
    if (!found) return;
    const [, to = '', lane, ...rest] = found.subject.split('.');
    if (isService(to)) yield { ...found, service: to, was: [lane, to, ...rest].join('.') };
    from = found.seq + 1;
  }
}

/** Sends a parked message again to its receiver, as a new message; doing so twice sends it once. */
export async function retryParked(bus: Bus, { service, seq, id, was, schema, data }: Parked): Promise<void> {
  await bus.publish({ subject: was, id: `${id}-retry`, cause: id, schema, due: null, failure: null, data });
  await bus.remove(parkedOf(service), seq);
}

export const dropParked = (bus: Bus, { service, seq }: Parked): Promise<void> => bus.remove(parkedOf(service), seq);
