import {
  type Consumer,
  type ConsumerMessages,
  type JsMsg,
  type Msg,
  type MsgHdrs,
  NatsError,
  headers as newHeaders,
} from 'nats';
import { Failed } from './boundary.ts';
import { sleep } from './clock.ts';
import { log } from './log.ts';
import { failureFromHeader, failureToHeader, type Outgoing, type Stored } from './wire.ts';

/** A delivered message. `ack`: done. `nak`: deliver it again later. `working`: more time is needed. */
export interface Delivery extends Stored {
  /** How many times the server has delivered it, including this time. */
  readonly tries: number;
  /** Counts the deliveries of its consumer. */
  readonly deliverySeq: number;
  ack(): void;
  nak(delayMs: number): void;
  working(): void;
}

/**
 * At most two headers of ours, because each costs the client as much as packing a body. `Uplift: <schema> <cause>
 * <due>` with "-" for none; `Uplift-Failure` on parked messages only.
 */
const header = 'Uplift';
const failureHeader = 'Uplift-Failure';
const none = '-';

/** The revision that a save expects: of this key, or (for the only writer of a bucket) of the whole bucket. */
export type Expected = { readonly key: number } | { readonly bucket: number };

export function toExpectation(expected: Expected): MsgHdrs {
  const headers = newHeaders();
  if ('key' in expected) headers.append('Nats-Expected-Last-Subject-Sequence', String(expected.key));
  else headers.append('Nats-Expected-Last-Sequence', String(expected.bucket));
  return headers;
}

export function toHeaders({ id, schema, cause, due, failure }: Outgoing): MsgHdrs {
  const headers = newHeaders();
  headers.append('Nats-Msg-Id', id);
  headers.append(header, `${schema} ${cause ?? none} ${due ?? none}`);
  if (failure) headers.append(failureHeader, failureToHeader(failure));
  return headers;
}

type Place = Pick<Stored, 'subject' | 'seq' | 'at' | 'data'>;

/** Ids become parts of subjects and headers, so an id must be a token. */
const soundId = /^[\w-]{1,64}$/;

/** Anyone may have written these. Without a valid id, the place in the stream is the id; without a schema, it is 0. */
function fromHeaders(headers: MsgHdrs | undefined, { subject, seq, at, data }: Place): Stored {
  const id = headers?.get('Nats-Msg-Id') ?? '';
  const [schema, cause = none, due = none] = (headers?.get(header) ?? '').split(' ');
  return {
    subject,
    seq,
    at,
    data,
    id: soundId.test(id) ? id : `seq-${seq}`,
    cause: cause === none ? null : cause,
    schema: Number(schema) || 0,
    due: due === none || Number.isNaN(Number(due)) ? null : Number(due),
    failure: subject.startsWith('parked.') ? failureFromHeader(headers?.get(failureHeader) ?? '') : null,
  };
}

/**
 * The answer to a direct get: a stored message, whose place is in headers, or a status. Undefined: there is no such
 * message.
 */
export function fromDirectGet({ headers, data }: Msg): Stored | undefined {
  // the server appends these headers to the sender's, who may have written the same ones: the last are the server's
  if (!headers?.has('Nats-Sequence')) {
    if (headers?.code === 404) return undefined;
    throw new NatsError(headers?.description ?? 'no headers', '503');
  }
  const at = Date.parse(headers.last('Nats-Time-Stamp'));
  const seq = Number(headers.last('Nats-Sequence'));
  return fromHeaders(headers, { subject: headers.last('Nats-Subject'), seq, at, data });
}

export interface Messages extends AsyncIterable<JsMsg> {
  /** Receives no more: the iteration ends when what was received has been handled. */
  close(): void;
}

/**
 * Milliseconds after which a pull is repeated; if the server died during a pull, the consumer stalls for at most this
 * long.
 */
const expires = 5_000;

/** At most `batch` messages at once. */
export const messagesOf = async (source: Consumer, batch: number): Promise<Messages> =>
  batch === 1 ? oneByOne(source) : source.consume({ max_messages: batch, expires, abort_on_missing_resource: true });

/**
 * One message at a time, and none ahead: `consume` would fetch the next while the first is being worked on, and hold it
 * until the server delivers it to another process as well.
 */
function oneByOne(source: Consumer): Messages {
  const pulling: { closed: boolean; now?: ConsumerMessages } = { closed: false };
  return {
    async *[Symbol.asyncIterator]() {
      while (!pulling.closed) {
        pulling.now = await source.fetch({ max_messages: 1, expires });
        if (pulling.closed) void pulling.now.close();
        const message = await firstOf(pulling.now);
        if (message) yield message;
      }
    },
    close: () => {
      pulling.closed = true;
      void pulling.now?.close();
    },
  };
}

async function firstOf(messages: ConsumerMessages): Promise<JsMsg | undefined> {
  for await (const message of messages) return message;
  return undefined;
}

export function toDelivery(message: JsMsg): Delivery {
  const { info, subject, data } = message;
  const at = Math.floor(info.timestampNanos / 1e6);
  return Object.assign(fromHeaders(message.headers, { subject, seq: info.streamSequence, at, data }), {
    tries: info.deliveryCount,
    deliverySeq: info.deliverySequence,
    ack: () => message.ack(),
    nak: (delayMs: number) => message.nak(Math.max(1, Math.round(delayMs))),
    working: () => message.working(),
  });
}

/** A request that JetStream understood and refused; its codes are stable, its texts are not. */
class Refusal extends Error {
  readonly code: number;

  constructor({ err_code, description }: { err_code: number; description: string }) {
    super(`${description} (${err_code})`);
    this.code = err_code;
  }
}

export interface PubAck {
  readonly seq: number;
  readonly duplicate: boolean;
}

export function toPubAck(answer: Msg): PubAck {
  const { error, seq, duplicate = false } = Object(answer.json());
  if (error) throw new Refusal(error);
  return { seq, duplicate };
}

function apiCode(error: unknown): number | undefined {
  if (error instanceof Refusal) return error.code;
  return error instanceof NatsError ? error.api_error?.err_code : undefined;
}

/** 10071 wrong last (subject) sequence: somebody else has written in between. */
export const isWrongSequence = (error: unknown): boolean => apiCode(error) === 10071;

/** 10037 no message, 10043 no such sequence, 10057 not deleted: there is nothing to delete. */
export function unlessGone(error: unknown): void {
  if (![10037, 10043, 10057].includes(apiCode(error) ?? 0)) throw error;
}

/** Larger than the server accepts, which the client notices itself, or (10054) than the stream does. */
const isTooLarge = (error: unknown): boolean =>
  apiCode(error) === 10054 || (error instanceof NatsError && error.code === 'MAX_PAYLOAD_EXCEEDED');

/** Errors that a retry cannot fix: not allowed, or closed by ourselves. */
const final = new Set(['PERMISSIONS_VIOLATION', 'CONNECTION_CLOSED', 'CONNECTION_DRAINING']);

/** Whether a retry may succeed. */
export const isPassing = (error: unknown): boolean =>
  (error instanceof Refusal || (error instanceof NatsError && !final.has(error.code))) && !isWrongSequence(error);

/**
 * Retries until the server answers; during an outage it logs a line every few seconds. Throws what no retry can fix.
 */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1, wait = 20; ; tries += 1, wait = Math.min(wait * 2, 1_000)) {
    try {
      return await ask();
    } catch (error) {
      if (isTooLarge(error)) throw new Failed('bus/too-large', String(error));
      if (!isPassing(error)) throw error;
      if (tries % 10 === 0) log.warn({ tries, error: String(error) }, 'the bus does not answer; still trying');
      await sleep(wait);
    }
  }
}
