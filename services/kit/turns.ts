/**
 * The turn: load → look → decide → save → send → acknowledge. A crash may follow any step.
 *
 * T1 One message at a time for each instance, in the order of its mail. Within a process the mailbox ensures this;
 *    across processes the revision of the record does: the loser loads again. Earlier messages that may be unhandled in
 *    other processes are looked for first.
 * T2 State, cursor, handled ids and outbox are saved in one compare-and-set write; only then is anything sent.
 * T3 Ids of sent messages are derived, so sending twice is sending once: first by the server's duplicate window, then
 *    by the receiver's handled ids.
 * T4 An outbox that may not have been sent is sent again before anything else is decided.
 * T5 Acknowledge last. A message that cannot be handled is parked with the reason, by a turn that changes nothing else.
 */
import type { Failure } from '#protocol/failure';
import { type Message, parseSubject, type Subject } from '#protocol/message';
import { turnsOf } from '#protocol/streams';
import type { Actor, Saved } from './actor.ts';
import { brief, Failed, toFailure } from './boundary.ts';
import { type Bus, Conflict } from './bus.ts';
import { sleep } from './clock.ts';
import { type Begun, begin } from './deaths.ts';
import type { Doubt } from './doubt.ts';
import { isHandled, remember } from './handled.ts';
import type { Ids } from './ids.ts';
import { log } from './log.ts';
import { turns as counted } from './metrics.ts';
import type { Delivery } from './nats.ts';
import { parkAlone, parkedOutgoing } from './park.ts';
import { type Held, type Record, type Records, UnreadableRecord } from './records.ts';
import { address, sendAll } from './send.ts';
import { type Outgoing, open, type Stored } from './wire.ts';

export interface TurnsDeps<S> {
  readonly bus: Bus;
  readonly actor: Actor<S>;
  readonly records: Records<S>;
  readonly ids: Ids;
  readonly doubt: Doubt;
  /** Called for each turn once its write has succeeded. */
  readonly told: (turn: Saved<S>) => void;
  /** Single-active: a conflict means that another process leads, and is not retried. */
  readonly single: boolean;
}

/** A message is tried at most this often, whether its handler throws or its process dies. */
const maxTries = 5;
const stepBackMs = 250;

/** Handles one delivery, after any earlier message of the same instance that is found unhandled. */
export async function deliver<S>(deps: TurnsDeps<S>, delivery: Delivery): Promise<void> {
  const subject = parseSubject(delivery.subject);
  if (!subject) return await parkAlone(deps, delivery, { code: 'bus/unknown-message', detail: delivery.subject });
  try {
    if ((await handleUpTo(deps, subject.address, delivery)) === 'later') {
      deps.doubt.letGo(delivery);
      return delivery.nak(stepBackMs);
    }
  } catch (error) {
    if (!(error instanceof UnreadableRecord)) throw error;
    return await parkAlone(deps, delivery, { code: 'bus/unreadable-record', detail: error.message });
  }
  delivery.ack();
}

async function handleUpTo<S>(deps: TurnsDeps<S>, key: string, delivery: Delivery): Promise<Outcome> {
  const { tries } = delivery;
  for (;;) {
    const earlier = await findEarlier(deps, key, delivery.seq);
    const outcome = await handle(deps, key, { message: earlier ?? delivery, tries, own: !earlier });
    if (!earlier || outcome === 'later') return outcome;
  }
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

interface Tried extends Begun {
  readonly message: Stored;
}
/** `again`: it was handled before. `later`: it is left to its next delivery. */
type Outcome = 'handled' | 'parked' | 'again' | 'later';

async function handle<S>(deps: TurnsDeps<S>, key: string, tried: Tried): Promise<Outcome> {
  const { bus, records, actor, doubt, single } = deps;
  for (;;) {
    const held = await records.get(key);
    await settle(deps, held);
    if (tried.message.seq <= held.cursor) return 'again';
    const turn = () => takeTurn(deps, { key, held, ...tried });
    try {
      const { saved, outcome } = tried.tries > 1 ? await doubt.suspects.run('', turn) : await turn();
      if (!saved) return outcome;
      await sendAll(bus, saved.outbox);
      saved.sent = true;
      counted.inc({ actor: actor.name, outcome });
      return outcome;
    } catch (error) {
      if (!(error instanceof Conflict) || single) throw error;
    }
  }
}

/** T4. The outbox of an acknowledged message was sent, because the acknowledgement comes last. */
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
interface Taken<S> {
  readonly outcome: Outcome;
  readonly saved?: Held<S>;
}

/** T2. */
async function takeTurn<S>(deps: TurnsDeps<S>, one: Case<S>): Promise<Taken<S>> {
  const { bus, actor, records } = deps;
  const { key, held, message } = one;
  if (held.unfit !== undefined) throw new UnreadableRecord(held.unfit);
  if (isHandled(held.handled, message.id))
    return { outcome: 'again', saved: await records.save(key, held, passOver(one, [])) };
  const deaths = await begin(bus, actor.name, one);
  if (deaths === undefined) return { outcome: 'later' };
  try {
    const { next, turn } = await decide(deps, one, deaths);
    const saved = await records.save(key, held, next);
    deps.told(turn);
    return { outcome: 'handled', saved };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    return await park(deps, one, toFailure(error));
  }
}

/** Throws `Failed` if the message is to be parked. */
async function decide<S>(deps: TurnsDeps<S>, one: Case<S>, deaths: number): Promise<Decided<S>> {
  const { subject } = one.message;
  if (deaths >= maxTries) throw new Failed('bus/process-died', `${subject}: ${deaths} processes died of it`);
  const route = routeOf(deps.actor, one.message);
  if (!route) throw new Failed('bus/unknown-message', `nobody here handles ${subject}`);
  const opened = open(route.message, one.message);
  if ('failure' in opened) throw new Failed(opened.failure.code, opened.failure.detail);
  return await step(deps, { ...one, tries: deaths + 1 }, { message: route.message, body: opened.body });
}

type Said = { readonly message: Message; readonly body: unknown };
type Decided<S> = { readonly next: Record<S>; readonly turn: Saved<S> };

/** Calls the handler, and again if it throws; it is given the stored state anew each time. */
async function step<S>(deps: TurnsDeps<S>, one: Case<S>, said: Said): Promise<Decided<S>> {
  const { actor, ids, records } = deps;
  const { key, message } = one;
  for (let { tries, held } = one; ; tries += 1) {
    try {
      const at = { address: key, now: message.at };
      const { state, sent } = actor.step(held.state, said, at);
      const outbox = address(sent, { cause: message.id, sender: `${actor.name}.${key}`, key, ids });
      const next = { state, cursor: message.seq, handled: remember(held.handled, message.id), outbox };
      return { next, turn: { ...said, ...at, before: held.state, state, sent } };
    } catch (error) {
      if (error instanceof Failed) throw error;
      const why = brief(String(error));
      log.error({ actor: actor.name, key, subject: message.subject, tries, error: why }, 'a handler threw');
      if (tries >= maxTries) throw new Failed('bus/handler-threw', `${message.subject}: ${why}`);
      await sleep(10 * 2 ** tries);
      held = await records.afresh(key, held);
    }
  }
}

/** T5. */
async function park<S>(deps: TurnsDeps<S>, one: Case<S>, failure: Failure): Promise<Taken<S>> {
  const held = await deps.records.afresh(one.key, one.held);
  const next = passOver({ ...one, held }, [parkedOutgoing(one.message, failure, deps.ids)]);
  return { outcome: 'parked', saved: await deps.records.save(one.key, held, next) };
}

/** The record after a message that does not change the state. */
const passOver = <S>({ held: { state, handled }, message }: Case<S>, outbox: Outgoing[]): Record<S> => ({
  state,
  cursor: message.seq,
  handled: remember(handled, message.id),
  outbox,
});

/** The handler for a message, if its sender is one of those declared. */
function routeOf<S>(actor: Actor<S>, { subject }: Stored): Actor<S>['routes'][number] | undefined {
  const { name, from } = parseSubject(subject) as Subject;
  return actor.routes.find(({ message }) => message.name === name && message.from.includes(from));
}
