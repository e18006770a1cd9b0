import { z } from 'zod';
import { failure } from '#protocol/failure';
import type { Stream } from '#protocol/streams';
import type { Actor } from './actor.ts';
import type { Bus } from './bus.ts';
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
  /** Place in the mail of the last message handled: everything of this instance at or below it is handled. */
  cursor: z.number(),
  /** The last ids handled: a message that was stored twice, because its sender never saw the answer, is handled once. */
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
  /** This process knows that the outbox is out. */
  sent: boolean;
}

/** Of a single-active actor: the epoch of its lease, and the last write of its bucket, which was its own. */
export interface Fence {
  readonly epoch: number;
  last: number;
}

/** What lies there was not written by this code. It is left as it is, for a person to look at. */
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

  async get(address: string): Promise<Held<S>> {
    return this.#cache.get(address) ?? this.#keep(address, await this.#load(address));
  }

  forget(address: string): void {
    this.#cache.delete(address);
  }

  /** One write: state, cursor, handled ids and outbox (T2). Throws `Conflict` when another process has written. */
  async save(address: string, held: Held<S>, next: Record<S>): Promise<Held<S>> {
    const { state, cursor, handled, outbox } = next;
    const data = pack({ state, cursor, handled, outbox, epoch: this.#fence?.epoch ?? 0 });
    const expected = this.#fence ? { bucket: this.#fence.last } : { key: held.revision };
    this.forget(address);
    const revision = await this.#bus.save(this.#bucket, address, { data, expected });
    if (this.#fence) this.#fence.last = revision;
    return this.#keep(address, { state, cursor, handled, outbox, revision, sent: outbox.length === 0 });
  }

  async #load(address: string): Promise<Held<S>> {
    const found = await this.#bus.load(this.#bucket, address);
    if (!found) return { state: this.#actor.initial, cursor: 0, handled: '', outbox: [], revision: 0, sent: true };
    try {
      const { state, cursor, handled, outbox } = record.parse(unpack(found.data));
      const sent = outbox.length === 0;
      return { state: this.#actor.state.parse(state), cursor, handled, outbox, revision: found.revision, sent };
    } catch (error) {
      throw new UnreadableRecord(`${this.#bucket.name} ${address} at revision ${found.revision}: ${String(error)}`);
    }
  }

  /** The oldest use goes first: quiet instances cost no memory. */
  #keep(address: string, held: Held<S>): Held<S> {
    this.#cache.delete(address);
    this.#cache.set(address, held);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > cachedRecords && oldest !== undefined) this.#cache.delete(oldest);
    return held;
  }
}
