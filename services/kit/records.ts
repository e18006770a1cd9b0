import { z } from 'zod';
import { failure } from '#protocol/failure';
import { maxRecordBytes, maxStateBytes, type Stream } from '#protocol/streams';
import type { Actor } from './actor.ts';
import { tooLarge } from './boundary.ts';
import { type Bus, Conflict } from './bus.ts';
import { type Outgoing, pack, unpack } from './wire.ts';

export const outgoing = z.strictObject({
  subject: z.string(),
  id: z.string(),
  cause: z.string().nullable(),
  schema: z.number(),
  due: z.number().nullable(),
  failure: failure.nullable(),
  data: z.instanceof(Uint8Array),
});

const record = z.strictObject({
  state: z.unknown(),
  /** Place in the mail stream of the last message handled: all messages of this instance up to it are handled. */
  cursor: z.number(),
  /**
   * The last ids handled, so that a message that was stored twice, because its sender never saw the answer, is handled
   * once.
   */
  handled: z.string(),
  /** What the turn at `cursor` sent. */
  outbox: z.array(outgoing),
  /** Fencing epoch of the writer; 0 where the actor is not single-active. */
  epoch: z.number(),
});

export interface Record<S> {
  readonly state: S;
  readonly cursor: number;
  readonly handled: string;
  readonly outbox: readonly Outgoing[];
}
export interface Held<S> extends Record<S> {
  readonly revision: number;
  /** Whether this process knows that the outbox was sent. */
  sent: boolean;
  /** Why the state does not fit its schema: it was written by newer code, or by a bug. */
  readonly unfit?: string;
}

/**
 * For a single-active actor: the epoch of its lease, and the revision of the last write to its bucket, which was its
 * own.
 */
export interface Fence {
  readonly epoch: number;
  last: number;
}

/** A stored record that this code cannot read. It is left as it is, for a person to look at. */
export class UnreadableRecord extends Error {}

const cachedRecords = 512;

/** The records of one actor: read through a bounded cache, written by compare-and-set. */
export class Records<S> {
  readonly #cache = new Map<string, Held<S>>();
  readonly #bus: Bus;
  readonly #actor: Actor<S>;
  readonly #bucket: Stream;
  readonly #fence: Fence | undefined;

  constructor(bus: Bus, actor: Actor<S>, { bucket, fence }: { bucket: Stream; fence: Fence | undefined }) {
    this.#bus = bus;
    this.#actor = actor;
    this.#bucket = bucket;
    this.#fence = fence;
  }

  /** The record of an instance, perhaps from the cache; that of a new instance has the initial state. */
  async get(address: string): Promise<Held<S>> {
    return this.#cache.get(address) ?? this.#keep(address, await this.stored(address));
  }

  forget(address: string): void {
    this.#cache.delete(address);
  }

  /**
   * The record, read from the store again, because a handler may have changed its copy. Throws `Conflict` if it was
   * written since.
   */
  async afresh(address: string, held: Held<S>): Promise<Held<S>> {
    this.forget(address);
    const stored = await this.get(address);
    if (stored.revision !== held.revision) throw new Conflict(`${address} was written by another process`);
    stored.sent = held.sent;
    return stored;
  }

  /**
   * One write: state, cursor, handled ids and outbox (T2). Throws `Conflict` if another process has written, or, before
   * anything is written, `bus/too-large`; such a turn is parked.
   */
  async save(address: string, held: Held<S>, next: Record<S>): Promise<Held<S>> {
    const { state, cursor, handled, outbox } = next;
    const data = pack({ state, cursor, handled, outbox, epoch: this.#fence?.epoch ?? 0 });
    if (data.length > maxStateBytes) this.#check(address, { data, state: state === held.state ? undefined : state });
    const expected = this.#fence ? { bucket: this.#fence.last } : { key: held.revision };
    this.forget(address);
    const revision = await this.#bus.save(this.#bucket, address, { data, expected });
    if (this.#fence) this.#fence.last = revision;
    return this.#keep(address, { state, cursor, handled, outbox, revision, sent: outbox.length === 0 });
  }

  /** The record as it is stored now. Throws `UnreadableRecord`. */
  async stored(address: string): Promise<Held<S>> {
    const { name } = this.#bucket;
    const found = await this.#bus.load(this.#bucket, address);
    if (!found)
      return {
        state: structuredClone(this.#actor.initial),
        cursor: 0,
        handled: '',
        outbox: [],
        revision: 0,
        sent: true,
      };
    const { data, revision } = found;
    try {
      const { state, ...rest } = record.parse(unpack(data));
      const fit = this.#actor.state.safeParse(state);
      const held = { ...rest, revision, sent: rest.outbox.length === 0 };
      if (fit.success) return { ...held, state: fit.data };
      // cursor and outbox are valid all the same: what was handled is not handled again, and the outbox is sent
      return { ...held, state: this.#actor.initial, unfit: `${name} ${address} at revision ${revision}: ${fit.error}` };
    } catch (error) {
      throw new UnreadableRecord(`${name} ${address} at revision ${revision}: ${String(error)}`);
    }
  }

  /**
   * Refuses a state that grows too large. One that is already stored is kept, so that a message can be parked over it.
   */
  #check(address: string, { data, state }: { data: Uint8Array; state: S | undefined }): void {
    const bytes = state === undefined ? 0 : pack(state).length;
    if (bytes > maxStateBytes) throw tooLarge(`the state of ${address}`, bytes, maxStateBytes);
    if (data.length > maxRecordBytes) throw tooLarge(`the record of ${address}`, data.length, maxRecordBytes);
  }

  /** Drops the least recently used record: idle instances cost no memory. */
  #keep(address: string, held: Held<S>): Held<S> {
    this.#cache.delete(address);
    this.#cache.set(address, held);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > cachedRecords && oldest !== undefined) this.#cache.delete(oldest);
    return held;
  }
}
