import { parseSubject } from '#protocol/message';
import { isService, type Service } from '#protocol/roles';
import { timersOf } from '#protocol/streams';
import type { Bus } from './bus.ts';
import { now } from './clock.ts';
import type { Ids } from './ids.ts';
import { log } from './log.ts';
import type { Delivery } from './nats.ts';
import { parkedOutgoing } from './park.ts';
import { type Pull, pull } from './pull.ts';

/** The longest delay that is asked of the server at once, milliseconds; a timer further ahead is checked this often. */
const longestNakMs = 60 * 60_000;
const batch = 256;

/**
 * A timer is a message that stays in `later_<service>` until it is due: the server delivers it again when asked to,
 * across restarts of any process. It is sent under the id that it was given when it was set, so several processes may
 * send it.
 */
export function timers(bus: Bus, service: Service, ids: Ids): Pull {
  const firing = new Set<Promise<void>>();
  const lane = pull(bus, timersOf(service), {
    batch,
    handle: (delivery) => {
      const waitMs = (delivery.due ?? 0) - now();
      if (waitMs > 0) return void delivery.nak(Math.min(waitMs, longestNakMs));
      const fired = fire(bus, delivery, ids).finally(() => firing.delete(fired));
      firing.add(fired);
      return firing.size < batch ? undefined : Promise.race(firing);
    },
  });
  const stop = async (): Promise<void> => {
    await lane.stop();
    await Promise.all(firing);
  };
  return { ended: lane.ended, stop };
}

async function fire(bus: Bus, delivery: Delivery, ids: Ids): Promise<void> {
  const { id, cause, schema, failure, data } = delivery;
  const subject = delivery.subject.split('.').slice(2).join('.');
  try {
    if (isService(parseSubject(subject)?.to ?? ''))
      await bus.publish({ subject, id, cause, schema, due: null, failure, data });
    else await bus.publish(parkedOutgoing(delivery, { code: 'bus/unknown-message', detail: subject }, ids));
    delivery.ack();
  } catch (error) {
    log.error({ service: bus.role, id, error: String(error) }, 'a timer did not fire');
    delivery.nak(1_000);
  }
}
