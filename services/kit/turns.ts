/**
 * The turn: load → look → decide → save → send → acknowledge. Any step may be the last before a crash.
 *
 * T1 One message at a time for each instance, in the order of its mail. In a process the mailbox sees to it, across
 *    processes the store's revision: the loser loads again. What may lie unhandled in other hands is looked for first.
 * T2 State, cursor, handled ids and outbox are saved in one compare-and-set write; only then is anything sent.
 * T3 Ids of what is sent are derived, so sending twice is sending once: by the server's duplicate window first, by the
 *    receiver's handled ids after it.
 * T4 A record whose outbox is not known to be out is sent again before anything else is decided.
 * T5 Acknowledge last. What cannot be handled is parked with its reason by a turn that changes nothing else.
 */
import type { Failure } from '#protocol/failure';
import { type Message, parseSubject, type Subject } from '#protocol/message';
import { turnsOf } from '#protocol/streams';
import type { Actor } from './actor.ts';
import { type Bus, Conflict } from './bus.ts';
import { sleep } from './clock.ts';
import type { Doubt } from './doubt.ts';
import { isHandled, remember } from './handled.ts';
import type { Ids } from './ids.ts';
import { log } from './log.ts';
import { turns as counted } from './metrics.ts';
import type { Delivery } from './nats.ts';
import { parkedOutgoing } from './park.ts';
import { type Held, type Record, type Records, UnreadableRecord } from './records.ts';
import { address, sendAll } from './send.ts';
import { type Outgoing, open, type Stored } from './wire.ts';

export interface TurnsDeps<S> {
  readonly bus: Bus;
  readonly actor: Actor<S>;
  readonly records: Records<S>;
  readonly ids: Ids;
  readonly doubt: Doubt;
  /** Single-active: a conflict then means that another process leads, and is not retried here. */
  readonly single: boolean;
}

/** A message is tried this often, whether its handler throws or its process dies. */
const maxTries = 5;

/** Handles one delivery, and before it whatever of the same instance is found unhandled. */
export async function deliver<S>(deps: TurnsDeps<S>, delivery: Delivery): Promise<void> {
  const subject = parseSubject(delivery.subject);
  if (!subject) return await parkAlone(deps, delivery, { code: 'bus/unknown-message', detail: delivery.subject });
  let { tries } = delivery;
  try {
    for (;;) {
      const earlier = await findEarlier(deps, subject.address, delivery.seq);
      const outcome = await handle(deps, subject.address, { message: earlier ?? delivery, tries });
      if (!earlier) break;
      if (outcome === 'parked') tries = 1; // the deaths were its doing, not this one's
    }
  } catch (error) {
    if (!(error instanceof UnreadableRecord)) throw error;
    return await parkAlone(deps, delivery, { code: 'bus/unreadable-record', detail: error.message });
  }
  delivery.ack();
}

async function findEarlier<S>({ bus, actor, records, doubt }: TurnsDeps<S>, key: string, seq: number) {
  const { cursor } = await records.get(key);
  if (doubt.lookFrom(cursor, seq) === null) return undefined;
  doubt.heard(await bus.standing(turnsOf(actor.name)));
  const from = doubt.lookFrom(cursor, seq);
  if (from === null) return undefined;
  const found = await bus.next(turnsOf(actor.name).stream, `msg.${actor.name}.${key}.>`, from);
  return found && found.seq < seq ? found : undefined;
}

interface Tried {
  readonly message: Stored;
  readonly tries: number;
}
type Outcome = 'handled' | 'parked' | 'again';

async function handle<S>(deps: TurnsDeps<S>, key: string, { message, tries }: Tried): Promise<Outcome> {
  const { bus, records, actor, single } = deps;
  for (;;) {
    const held = await records.get(key);
    await settle(deps, held);
    if (message.seq <= held.cursor) return 'again';
    const { next, outcome } = await decide(deps, { key, held, message, tries });
    try {
      const saved = await records.save(key, held, next);
      await sendAll(bus, saved.outbox);
      saved.sent = true;
      counted.inc({ actor: actor.name, outcome });
      return outcome;
    } catch (error) {
      if (!(error instanceof Conflict) || single) throw error;
    }
  }
}

/** T4. What the server has as acknowledged was sent before it was acknowledged. */
async function settle<S>({ bus, actor, doubt }: TurnsDeps<S>, held: Held<S>): Promise<void> {
  if (held.sent) return;
  if (held.cursor > doubt.floor) doubt.heard(await bus.standing(turnsOf(actor.name)));
  if (held.cursor > doubt.floor) await sendAll(bus, held.outbox);
  held.sent = true;
}

interface Case<S> extends Tried {
  readonly key: string;
  readonly held: Held<S>;
}
interface Decided<S> {
  readonly next: Record<S>;
  readonly outcome: Outcome;
}

async function decide<S>(deps: TurnsDeps<S>, one: Case<S>): Promise<Decided<S>> {
  const { held, message, tries } = one;
  if (isHandled(held.handled, message.id)) return { next: passOver(one, []), outcome: 'again' };
  const route = routeOf(deps.actor, message);
  if (!route) return park(deps, one, { code: 'bus/unknown-message', detail: `nobody here handles ${message.subject}` });
  const opened = open(route.message, message);
  if ('failure' in opened) return park(deps, one, opened.failure);
  if (tries > maxTries)
    return park(deps, one, { code: 'bus/process-died', detail: `${message.subject}: handed out ${tries} times` });
  return await step(deps, one, { message: route.message, body: opened.body });
}

/** The handler, tried again where it throws: it may find the world changed, or this process restarted with better code. */
async function step<S>(
  deps: TurnsDeps<S>,
  one: Case<S>,
  said: { message: Message; body: unknown },
): Promise<Decided<S>> {
  const { actor, ids } = deps;
  const { key, held, message } = one;
  for (let tries = one.tries; ; tries += 1) {
    try {
      const { state, sent } = actor.step(held.state, said, { address: key, now: message.at });
      const outbox = address(sent, { cause: message.id, sender: `${actor.name}.${key}`, key, ids });
      const handled = remember(held.handled, message.id);
      return { next: { state, cursor: message.seq, handled, outbox }, outcome: 'handled' };
    } catch (error) {
      log.error({ actor: actor.name, key, subject: message.subject, tries, error: String(error) }, 'a handler threw');
      if (tries >= maxTries)
        return park(deps, one, { code: 'bus/handler-threw', detail: `${message.subject}: ${String(error)}` });
      await sleep(10 * 2 ** tries);
    }
  }
}

const park = <S>({ ids }: TurnsDeps<S>, one: Case<S>, failure: Failure): Decided<S> => ({
  next: passOver(one, [parkedOutgoing(one.message, failure, ids)]),
  outcome: 'parked',
});

/** The record after a message that changes nothing in it. */
const passOver = <S>({ held: { state, handled }, message }: Case<S>, outbox: Outgoing[]): Record<S> => ({
  state,
  cursor: message.seq,
  handled: remember(handled, message.id),
  outbox,
});

/** The handler for a message, if one of its true senders sent it. */
function routeOf<S>(actor: Actor<S>, { subject }: Stored): Actor<S>['routes'][number] | undefined {
  const { name, from } = parseSubject(subject) as Subject;
  return actor.routes.find(({ message }) => message.name === name && message.from.includes(from));
}

/** Parks what has no record that could say so: by itself, under an id that does not change. */
async function parkAlone<S>({ bus, ids, actor }: TurnsDeps<S>, delivery: Delivery, failure: Failure): Promise<void> {
  await bus.publish(parkedOutgoing(delivery, failure, ids));
  counted.inc({ actor: actor.name, outcome: 'parked' });
  delivery.ack();
}
