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

/**
 * Two headers of ours at most, since each costs the client as much as packing a body. `Uplift: <schema> <cause> <due>` with
 * "-" for none; `Uplift-Failure` on parked messages only.
 */
const header = 'Uplift';
const failureHeader = 'Uplift-Failure';
const none = '-';

/** What a save expects: the last write of this key, or (for a single writer of a bucket) of the whole bucket. */
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

/** Ids become parts of subjects and headers, so one that is no token is none. */
const soundId = /^[\w-]{1,64}$/;

/** Anyone may have written these: a message without an id is known by its place, one without a schema has schema 0. */
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

/** The answer to a direct get: a stored message, with its place in headers, or a status without a body. */
export function fromDirectGet({ headers, data }: Msg): Stored | undefined {
  // the server adds the place behind what the sender wrote, who may have written the same: the last is the server's
  if (!headers?.has('Nats-Sequence')) {
    if (headers?.code === 404) return undefined;
    throw new NatsError(headers?.description ?? 'no headers', '503');
  }
  const at = Date.parse(headers.last('Nats-Time-Stamp'));
  const seq = Number(headers.last('Nats-Sequence'));
  return fromHeaders(headers, { subject: headers.last('Nats-Subject'), seq, at, data });
}

export interface Messages extends AsyncIterable<JsMsg> {
  /** Takes no more: the iteration ends when what was taken is handled. Its end alone can be waited for. */
  close(): void;
}

/** A pull is asked for anew this often: so long a consumer may stand still when the server died as it was asked. */
const expires = 5_000;

/** `batch` at most in hand. */
export const messagesOf = async (source: Consumer, batch: number): Promise<Messages> =>
  batch === 1 ? oneByOne(source) : source.consume({ max_messages: batch, expires, abort_on_missing_resource: true });

/**
 * One message at a time, and none ahead: `consume` asks for the next while the first is worked on, and lets it lie
 * unheeded until the server gives it to somebody else too.
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

/** 10071 wrong last (subject) sequence: somebody wrote in between. */
export const isWrongSequence = (error: unknown): boolean => apiCode(error) === 10071;

/** 10037 no message, 10043 no such sequence, 10057 not deleted: nothing is there to be deleted. */
export function unlessGone(error: unknown): void {
  if (![10037, 10043, 10057].includes(apiCode(error) ?? 0)) throw error;
}

/** Larger than the server takes, which the client knows too, or (10054) than the stream does. */
const isTooLarge = (error: unknown): boolean =>
  apiCode(error) === 10054 || (error instanceof NatsError && error.code === 'MAX_PAYLOAD_EXCEEDED');

/** What no second try can mend: not allowed, closed by ourselves. */
const final = new Set(['PERMISSIONS_VIOLATION', 'CONNECTION_CLOSED', 'CONNECTION_DRAINING']);

export const isPassing = (error: unknown): boolean =>
  (error instanceof Refusal || (error instanceof NatsError && !final.has(error.code))) && !isWrongSequence(error);

/** Asks again until the server answers: an outage is waited out, with a line in the log every few seconds of it. */
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
