import type { Service } from '#protocol/roles';
import { timersOf } from '#protocol/streams';
import type { Bus } from './bus.ts';
import { now } from './clock.ts';
import type { Delivery } from './nats.ts';
import { type Pull, pull } from './pull.ts';

/** A consumer gives its own state up rarely; a far timer is looked at this often all the same. */
const longestNakMs = 60 * 60_000;
const batch = 256;

/**
 * A timer is a message that lies in `later_<service>` until it is due: the server hands it out again when told to, through
 * restarts of anybody. Sent under the id it was given when it was set, so several processes may send it.
 */
export const timers = (bus: Bus, service: Service): Pull =>
  pull(bus, timersOf(service), {
    batch,
    handle: (delivery) => {
      const waitMs = (delivery.due ?? 0) - now();
      if (waitMs > 0) delivery.nak(Math.min(waitMs, longestNakMs));
      else void fire(bus, delivery);
      return undefined;
    },
  });

async function fire(bus: Bus, { subject, id, cause, schema, failure, data, ack }: Delivery): Promise<void> {
  const [, , ...rest] = subject.split('.');
  await bus.publish({ subject: rest.join('.'), id, cause, schema, due: null, failure, data });
  ack();
}
