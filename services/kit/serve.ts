import { parseSubject } from '#protocol/message';
import { type Service, traits } from '#protocol/roles';
import { actOf, stateOf, turnsOf } from '#protocol/streams';
import type { Actor, Edge } from './actor.ts';
import { type ActsDeps, perform } from './acts.ts';
import { type Bus, Conflict } from './bus.ts';
import { now, sleep } from './clock.ts';
import { Doubt } from './doubt.ts';
import type { Ids } from './ids.ts';
import { loadIds } from './ids.ts';
import { lead } from './lease.ts';
import { log } from './log.ts';
import { Mailbox } from './mailbox.ts';
import { hopSeconds, redeliveries, turnSeconds } from './metrics.ts';
import type { Delivery } from './nats.ts';
import { type Pull, pull } from './pull.ts';
import { type Fence, Records } from './records.ts';
import { Shown } from './shown.ts';
import { timers } from './timers.ts';
import { deliver, type TurnsDeps } from './turns.ts';

/** Most deliveries that one process holds, of those that the server allows for all processes together. */
const turnsBatch = 256;

interface Serving {
  /** When aborted, nothing new is taken. */
  readonly signal: AbortSignal;
  /** How long after that work in progress may take before it is given up. */
  readonly drainSeconds: number;
  /** Which place of its service this process fills, if the service has places. */
  readonly place?: string | undefined;
}

/**
 * Serves an actor until `signal` is aborted; resolves when nothing is in progress any more. If the server does not
 * answer by then, it closes the connection a second after `drainSeconds`: what is unfinished is delivered again, as
 * after a crash.
 */
export async function serve<S>(bus: Bus, actor: Actor<S>, serving: Serving): Promise<void> {
  const { signal, drainSeconds } = serving;
  const served = new AbortController();
  const giveUp = whenAborted(signal).then(() => sleep((drainSeconds + 1) * 1000, served.signal));
  giveUp.then(() => bus.nc.close()).catch(() => undefined);
  try {
    await serveOrStandBy(bus, actor, serving);
  } catch (error) {
    if (!signal.aborted || !bus.nc.isClosed()) throw error;
    log.warn({ actor: actor.name, error: String(error) }, 'stopped without the server');
  } finally {
    served.abort();
  }
}

async function serveOrStandBy<S>(bus: Bus, actor: Actor<S>, serving: Serving): Promise<void> {
  const ids = await loadIds(bus, stateOf(actor.name));
  if (!traits[actor.name].single)
    return await work(bus, actor, { ...serving, ids, fence: undefined, lost: new AbortController() });
  await lead(bus, actor.name, {
    signal: serving.signal,
    work: (leading) => work(bus, actor, { ...serving, ids, ...leading }),
  });
}

interface Leading {
  readonly ids: Ids;
  readonly fence: Fence | undefined;
  /** When aborted, another process leads, and nothing may be begun. */
  readonly lost: AbortController;
}

async function work<S>(bus: Bus, actor: Actor<S>, working: Serving & Leading): Promise<void> {
  const { signal, drainSeconds, place, ids, fence, lost } = working;
  const letGo = new AbortController();
  const actsDeps = {
    bus,
    service: actor.name,
    place,
    ids,
    epoch: fence?.epoch ?? 0,
    signal: AbortSignal.any([letGo.signal, lost.signal]),
  };
  const lanes = [
    await turnsLane(bus, actor, { ids, fence, lost }),
    ...actor.edges.map((edge) => actsLane(actsDeps, edge)),
    timers(bus, actor.name, ids),
  ];
  const ended = Promise.all(lanes.map((lane) => lane.ended));
  await Promise.race([ended, whenAborted(AbortSignal.any([signal, lost.signal]))]);
  const grace = setTimeout(() => letGo.abort(), drainSeconds * 1000);
  await Promise.all(lanes.map((lane) => lane.stop()));
  clearTimeout(grace);
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Commands and events to the actor. Deliveries that wait for their turn are reported as being worked on. */
async function turnsLane<S>(bus: Bus, actor: Actor<S>, { ids, fence, lost }: Leading): Promise<Pull> {
  const consumer = turnsOf(actor.name);
  const doubt = new Doubt(await bus.standing(consumer), turnsBatch);
  const records = new Records(bus, actor, { bucket: stateOf(actor.name), fence });
  const shown = new Shown(actor, records);
  const told = shown.told.bind(shown);
  const deps: TurnsDeps<S> = { bus, actor, records, ids, doubt, single: fence !== undefined, told };
  const mailbox = new Mailbox();
  const inHand = new Set<Delivery>();
  const beats = setInterval(
    () => {
      for (const delivery of inHand) delivery.working();
    },
    (consumer.ackWaitSeconds * 1000) / 3,
  );

  const turn = async (delivery: Delivery): Promise<void> => {
    const end = turnSeconds.startTimer({ actor: actor.name });
    try {
      if (!lost.signal.aborted) await deliver(deps, delivery);
      countHop(actor, delivery);
    } catch (error) {
      doubt.letGo(delivery);
      if (fence && error instanceof Conflict) return lost.abort();
      if (bus.nc.isClosed()) return;
      log.error({ actor: actor.name, subject: delivery.subject, error: String(error) }, 'a turn failed');
      delivery.nak(1_000);
    } finally {
      inHand.delete(delivery);
      end();
    }
  };
  const lane = pull(bus, consumer, {
    batch: turnsBatch,
    handle: (delivery) => {
      doubt.saw(delivery, bus.server);
      inHand.add(delivery);
      const key = fence ? 'single' : (parseSubject(delivery.subject)?.address ?? '');
      void mailbox.run(key, () => turn(delivery));
      return undefined;
    },
  });
  const stop = async (): Promise<void> => {
    await lane.stop();
    await mailbox.idle();
    clearInterval(beats);
    shown.end();
  };
  return { ended: lane.ended, stop };
}

/** From the server's clock to this machine's: on several machines it is only as good as their clocks agree. */
function countHop({ name }: { name: Service }, { subject, at, tries }: Delivery): void {
  const { from } = parseSubject(subject) ?? {};
  if (from) hopSeconds.observe({ from, to: name }, Math.max(0, now() - at) / 1000);
  if (tries > 1) redeliveries.inc({ actor: name });
}

/** One kind of act: `slots` pulls of one message each, so that no process holds acts that another could do. */
function actsLane(deps: ActsDeps, edge: Edge): Pull {
  const handle = async (delivery: Delivery): Promise<void> => {
    await perform(deps, edge, delivery).catch(async (error) => {
      log.error({ act: edge.message.name, id: delivery.id, error: String(error) }, 'an act failed');
      delivery.nak(1_000);
      await sleep(100);
    });
  };
  const slots = Array.from({ length: edge.slots }, () =>
    pull(deps.bus, actOf(deps.service, edge.message.name, deps.place), { batch: 1, handle }),
  );
  return {
    ended: Promise.all(slots.map((slot) => slot.ended)).then(() => undefined),
    stop: async () => void (await Promise.all(slots.map((slot) => slot.stop()))),
  };
}
