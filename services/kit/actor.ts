import { z } from 'zod';
import type { Failure } from '#protocol/failure';
import { type Envelope, type Message, seal } from '#protocol/message';
import type { Service } from '#protocol/roles';
import type { Value } from '#protocol/value';

/** What a handler may do besides returning the next state. Nothing here performs I/O. */
export interface Turn {
  /** `run.key`: which instance of the actor this is. */
  readonly address: string;
  /**
   * When the message was stored, milliseconds since 1970 by the server's clock: the same whenever the turn is repeated.
   */
  readonly now: number;
  /** Throws if the body does not fit its schema. */
  send<B>(message: Message<B>, body: B): void;
  /**
   * Sends after so many seconds, even if processes restart meanwhile. It cannot be cancelled: a handler ignores what
   * comes too late.
   */
  later<B>(seconds: number, message: Message<B>, body: B): void;
  /** Sets a value under this instance's address, unless a version as great or greater is stored there. */
  set<B extends { version: number }>(value: Value<B>, body: B): void;
}

/**
 * What an edge is given. An edge acts on the outside world and answers with messages; it has no access to the state.
 */
export interface Call {
  /** Name processes, files and requests after it, because the act may be run again after a crash. */
  readonly id: string;
  /** Aborted when the act takes too long, is taken over by another process, or this process shuts down. */
  readonly signal: AbortSignal;
  /** How many times this act has been begun, including this time. */
  readonly attempt: number;
  /** When the act was stored, milliseconds since 1970 by the server's clock. */
  readonly now: number;
  /** A part of the outcome, which is sent once the edge has returned. */
  send<B>(message: Message<B>, body: B): void;
  /** Progress: sent immediately, and perhaps again by a later attempt. */
  emit<B>(message: Message<B>, body: B): Promise<void>;
  readonly blobs: Blobs;
  /** The current value; undefined: it was never set. */
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
  /** Sends the outcome of an act that failed for good. */
  readonly failed: (body: B, failure: Failure, call: Pick<Call, 'send'>) => void;
  /** An attempt that takes longer fails. */
  readonly seconds: number;
  /** Most acts of this kind at once, in one process. */
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

/** A turn whose write has succeeded: one for each message, however often it was decided. */
export interface Saved<S> extends At {
  readonly message: Message;
  readonly body: unknown;
  readonly before: S;
  readonly state: S;
  readonly sent: readonly Sent[];
}

/** Gauges of the state of instances, set at every scrape from the stored records. */
export interface Showing<S> {
  readonly gauges: readonly { reset(): void }[];
  /** Whether this instance is to be shown; one that ended long ago need not be. */
  isShown(state: S, now: number): boolean;
  show(state: S, at: At): void;
}

/**
 * An actor decides purely and acts at its edges. Its state `S` must survive MessagePack: plain objects, arrays,
 * numbers, strings, null, and never undefined.
 */
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

  /** Handles a message: one at a time for each instance, in the order of the stream. */
  on<B>(message: Message<B>, handler: Handler<S, B>): this {
    this.routes.push({ message: message as Message, handler: handler as Handler<S, unknown> });
    return this;
  }

  /** Does an act; `run` may be called more than once for the same act. */
  edge<B>(message: Message<B>, run: Edge<B>['run'], options: EdgeOptions<B>): this {
    this.edges.push({ message, run, ...options } as Edge);
    return this;
  }

  /** Called for each saved turn. A handler cannot count, because it may be called several times for one message. */
  counts(count: (turn: Saved<S>) => void): this {
    this.counting = count;
    return this;
  }

  shows(showing: Showing<S>): this {
    this.showing = showing;
    return this;
  }

  /**
   * A whole turn as a pure function. Throws on a bug: a message without a handler, a state or a body that does not fit
   * its schema.
   */
  step<B>(state: S, { message, body }: Said<B>, at: At): { state: S; sent: Sent[] } {
    const route = this.routes.find((one) => one.message.name === message.name);
    if (!route) throw new Error(`${this.name} has no handler for "${message.name}"`);
    const turn = new Pen(this.name, at);
    const next = route.handler(state, body, turn);
    return { state: this.state.parse(next), sent: turn.sent };
  }
}

/** The last date there is: a later one, or infinity, could not be saved. */
const never = 8.64e15;

/** Collects what a handler sends and sets. */
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
