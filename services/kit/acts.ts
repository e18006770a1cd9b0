/**
 * An act at an edge may take minutes or hours, and its process may die.
 *
 * A1 Claim first: a record under the id of the act, written by compare-and-set. A later claim takes the act over,
 *    unless it is made under an earlier lease.
 * A2 The outcome is saved against the claim, then sent, then the act is acknowledged. So an act has one outcome, even
 *    if two processes have run it: the one whose claim was taken over cannot save an outcome, and its signal is
 *    aborted.
 * A3 While the act runs, the server is told so; after a silence longer than the consumer's ack wait, another process
 *    gets it.
 */
import type { Failure } from '#protocol/failure';
import { parseSubject } from '#protocol/message';
import type { Service } from '#protocol/roles';
import { actOf } from '#protocol/streams';
import type { Call, Edge, Sent } from './actor.ts';
import { blobs } from './blobs.ts';
import { isRetryable, toFailure } from './boundary.ts';
import { type Bus, Conflict } from './bus.ts';
import { collect, runEdge } from './call.ts';
import { type Claim, loadClaim, saveClaim } from './claim.ts';
import { now, sleep } from './clock.ts';
import type { Ids } from './ids.ts';
import { log } from './log.ts';
import { actSeconds, actWaitSeconds, acts as counted } from './metrics.ts';
import type { Delivery } from './nats.ts';
import { parkedOutgoing } from './park.ts';
import { address, sendAll } from './send.ts';
import { getValue } from './values.ts';
import { type Outgoing, open } from './wire.ts';

export interface ActsDeps {
  readonly bus: Bus;
  readonly service: Service;
  readonly place?: string | undefined;
  readonly ids: Ids;
  /** Epoch of the lease of a single-active actor; otherwise 0. */
  readonly epoch: number;
  /** Aborted when this process must give up what it is doing. */
  readonly signal: AbortSignal;
}

/** An act is begun at most this often, whether its edge fails in a retryable way or its process dies. */
const maxAttempts = 5;
const watchMs = 2_000;

/** Brings a delivered act to its outcome, or leaves it to the process that has taken it over. */
export async function perform(deps: ActsDeps, edge: Edge, delivery: Delivery): Promise<void> {
  const { bus, service } = deps;
  const beats = setInterval(() => delivery.working(), (actOf(service, edge.message.name).ackWaitSeconds * 1000) / 3);
  try {
    const { outcome, ...claim } = await loadClaim(bus, service, delivery.id);
    const reached = outcome ?? (await reach(deps, edge, { delivery, claim: { ...claim, outcome } }));
    if (!reached) return;
    await sendAll(bus, reached);
    delivery.ack();
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    counted.inc({ act: edge.message.name, outcome: 'overtaken' });
    log.warn({ act: edge.message.name, id: delivery.id }, 'another process has taken this act over');
  } finally {
    clearInterval(beats);
  }
}

interface Work {
  readonly delivery: Delivery;
  readonly claim: Claim;
}

/** Claims, runs, saves. Null: there is no outcome yet; the act will be delivered again. */
async function reach(deps: ActsDeps, edge: Edge, { delivery, claim }: Work): Promise<readonly Outgoing[] | null> {
  if (claim.epoch > deps.epoch) throw new Conflict(`${delivery.id} was claimed under a later lease`);
  const save = (next: Claim): Promise<Claim> => saveClaim(deps.bus, deps.service, { id: delivery.id, claim: next });
  const mine = await save({ ...claim, attempts: claim.attempts + 1, epoch: deps.epoch });
  const outcome = await attempt(deps, edge, { delivery, claim: mine });
  // an act that is handed back in an orderly shutdown has not failed; one that was taken over throws before this
  const handedBack = !outcome && deps.signal.aborted;
  await save({ ...mine, attempts: handedBack ? claim.attempts : mine.attempts, outcome });
  if (!outcome) delivery.nak(handedBack ? 1 : 250 * 2 ** mine.attempts);
  return outcome;
}

async function attempt(deps: ActsDeps, edge: Edge, { delivery, claim }: Work): Promise<Outgoing[] | null> {
  const { name, from } = edge.message;
  const opened = open(edge.message, delivery);
  if ('failure' in opened) return [parkedOutgoing(delivery, opened.failure, deps.ids)];
  if (!from.includes(parseSubject(delivery.subject)?.from ?? 'viewer'))
    return [parkedOutgoing(delivery, { code: 'bus/unknown-message', detail: delivery.subject }, deps.ids)];
  const sent: Sent[] = [];
  const failure = await run(deps, edge, { delivery, claim, body: opened.body, sent });
  if (failure && (deps.signal.aborted || (isRetryable(failure) && claim.attempts < maxAttempts))) {
    counted.inc({ act: name, outcome: 'again' });
    log.warn({ act: name, id: delivery.id, attempt: claim.attempts, failure }, 'an act will be tried again');
    return null;
  }
  if (failure) return tell(deps, edge, { delivery, body: opened.body, failure });
  try {
    const outcome = outgoingOf(deps, delivery, { sent, part: 'outcome' });
    counted.inc({ act: name, outcome: 'done' });
    return outcome;
  } catch (error) {
    return tell(deps, edge, { delivery, body: opened.body, failure: toFailure(error) });
  }
}

interface Failing {
  readonly delivery: Delivery;
  readonly body: unknown;
  readonly failure: Failure;
}

/** The outcome of an act that failed. If even that cannot be sent, the act is parked, for a person to look at. */
function tell(deps: ActsDeps, edge: Edge, { delivery, body, failure }: Failing): Outgoing[] {
  const sent: Sent[] = [];
  counted.inc({ act: edge.message.name, outcome: 'failed' });
  try {
    edge.failed(body, failure, { send: collect(deps.service, sent) });
    return outgoingOf(deps, delivery, { sent, part: 'outcome' });
  } catch (error) {
    const detail = `reporting ${failure.code} failed: ${String(error)}`;
    return [parkedOutgoing(delivery, { code: 'bus/handler-threw', detail }, deps.ids)];
  }
}

async function run(
  deps: ActsDeps,
  edge: Edge,
  { delivery, claim, body, sent }: Work & { body: unknown; sent: Sent[] },
): Promise<Failure | null> {
  if (claim.attempts > maxAttempts)
    return { code: 'bus/process-died', detail: `${delivery.subject}: begun ${claim.attempts - 1} times, never ended` };
  const lost = new AbortController();
  const ended = new AbortController();
  void abortWhenOvertaken(deps, { delivery, claim }, { lost, ended: ended.signal });
  const act = edge.message.name;
  if (claim.attempts === 1) actWaitSeconds.observe({ act }, Math.max(0, now() - delivery.at) / 1000);
  const end = actSeconds.startTimer({ act });
  const signal = AbortSignal.any([deps.signal, lost.signal]);
  const failure = await runEdge(edge, body, callOf(deps, { delivery, claim }, { signal, sent }));
  end();
  ended.abort();
  if (lost.signal.aborted) throw new Conflict(`${delivery.id} was taken over`);
  return failure;
}

function callOf(deps: ActsDeps, { delivery, claim }: Work, more: { signal: AbortSignal; sent: Sent[] }): Call {
  let emitted = 0;
  return {
    id: delivery.id,
    signal: more.signal,
    attempt: claim.attempts,
    now: delivery.at,
    blobs: blobs(deps.bus),
    read: (value, address) => getValue(deps.bus, value, address),
    send: collect(deps.service, more.sent),
    emit: async (message, content) => {
      const sent: Sent[] = [];
      collect(deps.service, sent)(message, content);
      await sendAll(deps.bus, outgoingOf(deps, delivery, { sent, part: `emit-${claim.revision}-${emitted++}` }));
    },
  };
}

/** Checks every two seconds, as far as the server answers. */
async function abortWhenOvertaken(
  { bus, service }: ActsDeps,
  { delivery, claim }: Work,
  { lost, ended }: { lost: AbortController; ended: AbortSignal },
): Promise<void> {
  while (!ended.aborted && !lost.signal.aborted) {
    await sleep(watchMs, ended).catch(() => undefined);
    const there = ended.aborted ? claim : await loadClaim(bus, service, delivery.id).catch(() => claim);
    if (!ended.aborted && there.revision !== claim.revision) lost.abort();
  }
}

/** Ids do not depend on the attempt: two attempts with the same outcome send the same messages. */
function outgoingOf(deps: ActsDeps, { id, subject }: Delivery, { sent, part }: { sent: Sent[]; part: string }) {
  const key = parseSubject(subject)?.address ?? 'lost.lost';
  return address(sent, { cause: id, sender: `${deps.service}.${key}.${part}`, key, ids: deps.ids });
}
