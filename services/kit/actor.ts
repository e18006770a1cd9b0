import { z } from 'zod';
import type { Failure } from '#protocol/failure';
import { type Envelope, type Message, seal } from '#protocol/message';
import type { Service } from '#protocol/roles';
import type { Value } from '#protocol/value';

/** What a handler may do besides returning the next state. Nothing here performs I/O. */
export interface Turn {
  /** `run.key`: which instance of the actor this is. */
  readonly address: string;
  /** When the message was stored, milliseconds since 1970 by the server's clock: the same at every replay. */
  readonly now: number;
  send<B>(message: Message<B>, body: B): void;
  /** Sends after so many seconds, whatever restarts in between. A handler ignores a timer that came too late. */
  later<B>(seconds: number, message: Message<B>, body: B): void;
  /** Makes a value so, under this instance's address, unless a greater version of it is there. */
  set<B extends { version: number }>(value: Value<B>, body: B): void;
}

/** What an edge may use. An edge acts on the outside world and answers with messages; it touches no state. */
export interface Call {
  /** Name processes, files and requests after it: the same act may be run again after a crash. */
  readonly id: string;
  /** Aborted when the act overruns its time, was taken over by another process, or this process shuts down. */
  readonly signal: AbortSignal;
  /** How often this act has been begun, this time included. */
  readonly attempt: number;
  /** When the act was stored, milliseconds since 1970 by the server's clock. */
  readonly now: number;
  /** Part of the outcome: sent once, when the edge has returned. */
  send<B>(message: Message<B>, body: B): void;
  /** Progress: sent at once, and perhaps again by a later attempt. */
  emit<B>(message: Message<B>, body: B): Promise<void>;
  readonly blobs: Blobs;
  /** What a value is now; undefined: it was never set. */
  read<B extends { version: number }>(value: Value<B>, address: string): Promise<B | undefined>;
}

export interface Blobs {
  /** Stores bytes under their hash, once; returns the hash. */
  put(store: string, bytes: Uint8Array): Promise<string>;
  /** Throws `blob/missing` or `blob/corrupt`. */
  get(store: string, hash: string): Promise<Uint8Array>;
}

type Sealed = Pick<Envelope, 'subject' | 'schema' | 'body'>;
export type Sent =
  | { readonly kind: 'message'; readonly sealed: Sealed; readonly due: number | null }
  | { readonly kind: 'value'; readonly value: Value; readonly body: { version: number } };

type Handler<S, B> = (state: S, body: B, turn: Turn) => S;
interface Route<S> {
  readonly message: Message;
  readonly handler: Handler<S, unknown>;
}

interface EdgeOptions<B> {
  /** What is told when the act cannot succeed: the outcome instead of the one it owes. */
  readonly failed: (body: B, failure: Failure, call: Pick<Call, 'send'>) => void;
  /** Longer than this is a failure. */
  readonly seconds: number;
  /** Acts of this kind at once, in one process. */
  readonly slots: number;
}
export interface Edge<B = unknown> extends EdgeOptions<B> {
  readonly message: Message<B>;
  readonly run: (body: B, call: Call) => Promise<void>;
}

interface Said<B> {
  readonly message: Message<B>;
  readonly body: B;
}
type At = Pick<Turn, 'address' | 'now'>;

/** A turn whose write has succeeded: of each there is one, however often it was decided. */
export interface Saved<S> extends At {
  readonly message: Message;
  readonly body: unknown;
  readonly before: S;
  readonly state: S;
  readonly sent: readonly Sent[];
}

/** Gauges of what instances are: set anew at every scrape, from their records as they are stored then. */
export interface Showing<S> {
  readonly gauges: readonly { reset(): void }[];
  /** Whether there is anything to show of it; what is over long since need not be shown for ever. */
  isShown(state: S, now: number): boolean;
  show(state: S, at: At): void;
}

/** An actor decides purely and acts at its edges. `S` must survive MessagePack: plain objects, arrays, numbers, strings. */
export class Actor<S> {
  readonly name: Service;
  readonly state: z.ZodType<S>;
  readonly initial: S;
  readonly routes: Route<S>[] = [];
  readonly edges: Edge[] = [];
  counting: ((turn: Saved<S>) => void) | undefined;
  showing: Showing<S> | undefined;

  constructor(name: Service, state: z.ZodType<S>, initial: S) {
    this.name = name;
    this.state = state;
    this.initial = initial;
  }

  /** One turn for each message, one message at a time for each instance, in the order of the stream. */
  on<B>(message: Message<B>, handler: Handler<S, B>): this {
    this.routes.push({ message: message as Message, handler: handler as Handler<S, unknown> });
    return this;
  }

  edge<B>(message: Message<B>, run: Edge<B>['run'], options: EdgeOptions<B>): this {
    this.edges.push({ message, run, ...options } as Edge);
    return this;
  }

  /** Where turns are counted: a handler cannot, since a turn that is tried again is decided again. */
  counts(count: (turn: Saved<S>) => void): this {
    this.counting = count;
    return this;
  }

  shows(showing: Showing<S>): this {
    this.showing = showing;
    return this;
  }

  /** A whole turn as a pure function. Throws on what is a bug: a state or a body that does not fit its schema. */
  step<B>(state: S, { message, body }: Said<B>, at: At): { state: S; sent: Sent[] } {
    const route = this.routes.find((one) => one.message.name === message.name);
    if (!route) throw new Error(`${this.name} has no handler for "${message.name}"`);
    const turn = new Pen(this.name, at);
    const next = route.handler(state, body, turn);
    return { state: this.state.parse(next), sent: turn.sent };
  }
}

/** The last date there is: a timer that is due later, or at no number, could not be kept. */
const never = 8.64e15;

/** What a handler writes with. */
class Pen implements Turn {
  readonly sent: Sent[] = [];
  readonly address: string;
  readonly now: number;
  readonly #from: Service;

  constructor(from: Service, { address, now }: At) {
    this.#from = from;
    this.address = address;
    this.now = now;
  }

  send<B>(message: Message<B>, body: B): void {
    for (const sealed of seal(message, body, this.#from)) this.sent.push({ kind: 'message', sealed, due: null });
  }

  later<B>(seconds: number, message: Message<B>, body: B): void {
    const due = Math.min(this.now + seconds * 1000, never);
    for (const sealed of seal(message, body, this.#from)) this.sent.push({ kind: 'message', sealed, due });
  }

  set<B extends { version: number }>(value: Value<B>, body: B): void {
    this.sent.push({ kind: 'value', value, body: value.body.parse(body) });
  }
}

export const actor = <S extends z.ZodRawShape>(
  name: Service,
  state: S,
  initial: z.infer<z.ZodObject<S>>,
): Actor<z.infer<z.ZodObject<S>>> => new Actor(name, z.strictObject(state) as never, initial);
