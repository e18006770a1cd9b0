import { Packr } from 'msgpackr';
import { type Failure, failure } from '#protocol/failure';
import type { Message } from '#protocol/message';
import { checkPlain } from './plain.ts';

/**
 * Bodies are plain MessagePack: without shared structures, so that each can be read by itself years later, and with
 * typed arrays as they are (2,000 tokens take about 1.01 times their bytes). Decoded arrays may alias the received
 * bytes.
 */
const packr = new Packr({ useRecords: false, moreTypes: true });

export const pack = (value: unknown): Uint8Array => packr.pack(value);
/** Throws on bytes that `pack` could not have made. */
export function unpack(data: Uint8Array): unknown {
  checkPlain(data);
  return packr.unpack(data);
}

/** A message as it is stored in a stream: the body still packed, the rest from its headers and its place. */
export interface Stored {
  readonly subject: string;
  /** Place in its stream. */
  readonly seq: number;
  /** When the server stored it, milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
  readonly cause: string | null;
  readonly schema: number;
  /** For a timer: when to send it, milliseconds since 1970. */
  readonly due: number | null;
  /** For a parked message: why it was parked. */
  readonly failure: Failure | null;
  readonly data: Uint8Array;
}

/** A message to be published: `Stored` without what only the server knows. */
export type Outgoing = Omit<Stored, 'seq' | 'at'>;

export type Opened<B> = { readonly body: B } | { readonly failure: Failure };

/** Reads a body that anyone may have written. Never throws: an unreadable body is a failure with a reason. */
export function open<B>(message: Message<B>, { data, schema }: Pick<Stored, 'data' | 'schema'>): Opened<B> {
  if (schema > message.schema)
    return refuse('bus/newer-schema', `${message.name} has schema ${schema}, this reader knows ${message.schema}`);
  if (data.length === 0) return refuse('bus/empty-body', `${message.name} is empty`);
  let decoded: unknown;
  try {
    decoded = unpack(data);
  } catch (error) {
    return refuse('bus/unreadable-body', `${message.name}, ${data.length} bytes: ${String(error)}`);
  }
  const parsed = message.body.safeParse(decoded);
  if (parsed.success) return { body: parsed.data };
  const [issue] = parsed.error.issues;
  return refuse('bus/unfit-body', `${message.name}: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`);
}

const refuse = (code: Failure['code'], detail: string): { failure: Failure } => ({ failure: { code, detail } });

/** A failure as the text of a header, and back; null if the text is unreadable. */
export const failureToHeader = (value: Failure): string => encodeURIComponent(JSON.stringify(value));
export function failureFromHeader(header: string): Failure | null {
  try {
    return failure.parse(JSON.parse(decodeURIComponent(header)));
  } catch {
    return null;
  }
}
