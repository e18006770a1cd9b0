import { type JsMsg, type Msg, type MsgHdrs, NatsError, headers as newHeaders } from 'nats';
import { sleep } from './clock.ts';
import { log } from './log.ts';
import { failureFromHeader, failureToHeader, type Outgoing, type Stored } from './wire.ts';

/** A message in hand: `ack` done, `nak` again later, and `working` asks for more time. */
export interface Delivery extends Stored {
  /** How often the server has handed it out, this time included. */
  readonly tries: number;
  /** The how-manieth hand-out of its consumer this is. */
  readonly deliverySeq: number;
  ack(): void;
  nak(delayMs: number): void;
  working(): void;
}

const header = {
  schema: 'Uplift-Schema',
  cause: 'Uplift-Cause',
  due: 'Uplift-Due',
  failure: 'Uplift-Failure',
} as const;

export function toHeaders({ schema, cause, due, failure }: Outgoing): MsgHdrs {
  const headers = newHeaders();
  headers.set(header.schema, String(schema));
  if (cause) headers.set(header.cause, cause);
  if (due !== null) headers.set(header.due, String(due));
  if (failure) headers.set(header.failure, failureToHeader(failure));
  return headers;
}

/** Anyone may have written these: a message without an id is known by its place, one without a schema has schema 0. */
export function fromHeaders(
  headers: MsgHdrs | undefined,
  place: Pick<Stored, 'subject' | 'seq' | 'at' | 'data'>,
): Stored {
  const text = (name: string): string | null => headers?.get(name) || null;
  const number = (name: string): number => Number(text(name) ?? Number.NaN);
  const due = number(header.due);
  return {
    ...place,
    id: text('Nats-Msg-Id') ?? `seq-${place.seq}`,
    cause: text(header.cause),
    schema: number(header.schema) || 0,
    due: Number.isFinite(due) ? due : null,
    failure: failureFromHeader(text(header.failure) ?? ''),
  };
}

/** The answer to a direct get: a stored message, with its place in headers, or a status without a body. */
export function fromDirectGet({ headers, data }: Msg): Stored | undefined {
  const code = headers?.code ?? 0;
  if (code === 404) return undefined;
  if (!headers || code >= 400) throw new NatsError(headers?.description ?? 'no headers', '503');
  const subject = headers.get('Nats-Subject');
  const at = Date.parse(headers.get('Nats-Time-Stamp'));
  return fromHeaders(headers, { subject, seq: Number(headers.get('Nats-Sequence')), at, data });
}

export function toDelivery(message: JsMsg): Delivery {
  const { info, subject, data } = message;
  const at = Math.floor(info.timestampNanos / 1e6);
  return {
    ...fromHeaders(message.headers, { subject, seq: info.streamSequence, at, data }),
    tries: info.deliveryCount,
    deliverySeq: info.deliverySequence,
    ack: () => message.ack(),
    nak: (delayMs) => message.nak(Math.max(1, Math.round(delayMs))),
    working: () => message.working(),
  };
}

const apiCode = (error: unknown): number | undefined =>
  error instanceof NatsError ? error.api_error?.err_code : undefined;

/** 10071 wrong last (subject) sequence: somebody wrote in between. */
export const isWrongSequence = (error: unknown): boolean => apiCode(error) === 10071;

/** What no second try can mend: too large (locally, or 10054 by the stream), not allowed, closed by ourselves. */
const final = new Set(['MAX_PAYLOAD_EXCEEDED', 'PERMISSIONS_VIOLATION', 'CONNECTION_CLOSED', 'CONNECTION_DRAINING']);

export const isPassing = (error: unknown): boolean =>
  error instanceof NatsError && !final.has(error.code) && ![10054, 10071].includes(apiCode(error) ?? 0);

/** Asks again until the server answers: an outage is waited out, with a line in the log every few seconds of it. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1, wait = 20; ; tries += 1, wait = Math.min(wait * 2, 1_000)) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (tries % 10 === 0) log.warn({ tries, error: String(error) }, 'the bus does not answer; still trying');
      await sleep(wait);
    }
  }
}
