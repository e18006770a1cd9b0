import { parseSubject } from '#protocol/message';
import { characters } from '#protocol/roles';
import { actOf, stateOf, turnsOf } from '#protocol/streams';
import type { Actor, Edge } from './actor.ts';
import { perform } from './acts.ts';
import { type Bus, Conflict } from './bus.ts';
import { sleep } from './clock.ts';
import { Doubt } from './doubt.ts';
import type { Ids } from './ids.ts';
import { loadIds } from './ids.ts';
import { lead } from './lease.ts';
import { log } from './log.ts';
import { Mailbox } from './mailbox.ts';
import { turnSeconds } from './metrics.ts';
import type { Delivery } from './nats.ts';
import { type Pull, pull } from './pull.ts';
import { type Fence, Records } from './records.ts';
import { timers } from './timers.ts';
import { deliver, type TurnsDeps } from './turns.ts';

/** Deliveries that a process holds at most, of those the server allows for all processes together. */
const turnsBatch = 256;

interface Serving {
  /** Take nothing new. */
  readonly signal: AbortSignal;
  /** After that, how long what was begun may take before it is let go, seconds. */
  readonly drainSeconds: number;
}

/** Serves an actor until `signal`; resolves when nothing is in hand any more. */
export async function serve<S>(bus: Bus, actor: Actor<S>, serving: Serving): Promise<void> {
  const ids = await loadIds(bus, stateOf(actor.name));
  if (!characters[actor.name].single) return await work(bus, actor, { ...serving, ids, fence: undefined });
  await lead(bus, actor.name, {
    signal: serving.signal,
    work: ({ fence, signal }) => work(bus, actor, { ...serving, signal, ids, fence }),
  });
}

interface Working extends Serving {
  readonly ids: Ids;
  readonly fence: Fence | undefined;
}

async function work<S>(bus: Bus, actor: Actor<S>, { signal, drainSeconds, ids, fence }: Working): Promise<void> {
  const over = new AbortController();
  const letGo = new AbortController();
  const lanes = [
    await turnsLane(bus, actor, { ids, fence, over }),
    ...actor.edges.map((edge) =>
      actsLane(edge, (delivery) =>
        perform({ bus, service: actor.name, ids, epoch: fence?.epoch ?? 0, signal: letGo.signal }, edge, delivery),
      )(bus, actor.name),
    ),
    timers(bus, actor.name),
  ];
  const ended = Promise.all(lanes.map((lane) => lane.ended));
  const until = AbortSignal.any([signal, over.signal]);
  await Promise.race([ended, whenAborted(until)]);
  const grace = setTimeout(() => letGo.abort(), over.signal.aborted ? 0 : drainSeconds * 1000);
  await Promise.all(lanes.map((lane) => lane.stop()));
  clearTimeout(grace);
  if (over.signal.aborted) throw over.signal.reason;
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

interface TurnsLane {
  readonly ids: Ids;
  readonly fence: Fence | undefined;
  readonly over: AbortController;
}

/** All that is said to the actor. Deliveries that wait for their turn are reported as being worked on. */
async function turnsLane<S>(bus: Bus, actor: Actor<S>, { ids, fence, over }: TurnsLane): Promise<Pull> {
  const consumer = turnsOf(actor.name);
  const doubt = new Doubt(await bus.standing(consumer));
  const records = new Records(bus, actor, { bucket: stateOf(actor.name), fence });
  const deps: TurnsDeps<S> = { bus, actor, records, ids, doubt, single: fence !== undefined };
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
      if (!over.signal.aborted) await deliver(deps, delivery);
    } catch (error) {
      doubt.letGo(delivery);
      if (error instanceof Conflict) return over.abort(error);
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
      doubt.saw(delivery);
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
  };
  return { ended: lane.ended, stop };
}

/** One kind of act: `slots` pulls of one message each, so that no process hoards what another could do. */
const actsLane =
  (edge: Edge, perform: (delivery: Delivery) => Promise<void>) =>
  (bus: Bus, service: Actor<unknown>['name']): Pull => {
    const handle = async (delivery: Delivery): Promise<void> => {
      await perform(delivery).catch(async (error) => {
        log.error({ act: edge.message.name, id: delivery.id, error: String(error) }, 'an act failed');
        delivery.nak(1_000);
        await sleep(100);
      });
    };
    const slots = Array.from({ length: edge.slots }, () =>
      pull(bus, actOf(service, edge.message.name), { batch: 1, handle }),
    );
    return {
      ended: Promise.all(slots.map((slot) => slot.ended)).then(() => undefined),
      stop: async () => void (await Promise.all(slots.map((slot) => slot.stop()))),
    };
  };
