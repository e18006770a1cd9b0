/**
 * A consumer delivers messages to any process that asks, so an earlier message of the same instance may still be
 * unhandled in another process, or in one that died. This tracks where such messages can be, by their place in the
 * stream:
 *
 *     … acknowledged …  floor  … perhaps in other processes …  horizon  … only in this one …
 *
 * D1 At or below `floor` everything is handled, and what those turns sent is out.
 * D2 Above `horizon` everything that was delivered was delivered to this process, in order.
 * D3 A gap in the consumer's delivery count went to other processes. How far they have got is known only at the next
 *    first delivery, because first deliveries come in the order of the stream: until then `horizon` moves along with
 *    every delivery. So before an instance whose cursor is below `horizon` takes a later message, it looks into the
 *    stream; others need not.
 * D4 A message that was delivered before may have killed the process that had it: such messages are begun one at a time
 *    (`deaths.ts`).
 */
import { Mailbox } from './mailbox.ts';
import type { Delivery } from './nats.ts';

export interface Standing {
  readonly floor: number;
  readonly delivered: number;
  readonly deliverySeq: number;
  /** The id of the server's process that said so. */
  readonly server: string;
}

export class Doubt {
  #floor: number;
  #horizon: number;
  /** No first delivery has come since the last gap in the delivery count. */
  #gap = false;
  #deliverySeq: number;
  #server: string;
  /** How many of the next deliveries may have a wrong count. */
  #uncounted = 0;
  readonly #ahead: number;
  /** D4. */
  readonly suspects = new Mailbox();

  /** `ahead`: how many deliveries this process may have received before `saw` is called for them. */
  constructor({ floor, delivered, deliverySeq, server }: Standing, ahead: number) {
    this.#floor = floor;
    this.#horizon = delivered;
    this.#deliverySeq = deliverySeq;
    this.#server = server;
    this.#ahead = ahead;
  }

  get floor(): number {
    return this.#floor;
  }

  /** Called for every delivery, in order, with the id of the connected server. */
  saw({ seq, tries, deliverySeq }: Pick<Delivery, 'seq' | 'tries' | 'deliverySeq'>, server: string): void {
    // a server that was killed has forgotten its last deliveries, and counts them again
    if (server !== this.#server) this.#uncounted = this.#ahead + 1;
    if (deliverySeq !== this.#deliverySeq + 1 || this.#uncounted > 0) this.#gap = true;
    if (this.#gap) this.#horizon = Math.max(this.#horizon, seq - 1);
    if (tries === 1) this.#gap = false;
    this.#server = server;
    this.#deliverySeq = deliverySeq;
    this.#uncounted = Math.max(0, this.#uncounted - 1);
  }

  /** Called for a message that was delivered to this process and not handled. */
  letGo({ seq }: Pick<Delivery, 'seq'>): void {
    this.#horizon = Math.max(this.#horizon, seq);
  }

  /** Called with what the server says of the consumer. A floor never falls, even if a restarted server says so. */
  heard({ floor }: Pick<Standing, 'floor'>): void {
    this.#floor = Math.max(this.#floor, floor);
  }

  /** Where to begin looking for a message earlier than `seq`; null if there can be none. */
  lookFrom(cursor: number, seq: number): number | null {
    const handled = Math.max(cursor, this.#floor);
    return handled < Math.min(this.#horizon, seq - 1) ? handled + 1 : null;
  }
}
