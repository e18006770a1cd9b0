/**
 * A consumer hands messages to any process that asks, so what this process is given may come after something that lies,
 * unhandled, in the hands of another, or of one that died. This keeps account of where that can be:
 *
 *     … acknowledged …  floor  … perhaps in other hands …  horizon  … only ours …
 *
 * D1 At or below `floor` everything is handled, and what those turns sent is out.
 * D2 Above `horizon` everything that was handed out was handed to this process, in order.
 * D3 A gap in the consumer's count went to others. How far they have got shows only with the next message that is handed
 *    out for the first time, because those come in the order of the stream: until then everything lies at the horizon.
 * So an actor whose cursor is below `horizon` looks into the stream before it takes a later message; others need not.
 * D4 What was handed out before may have killed whoever had it: such messages are begun one at a time (`deaths.ts`).
 */
import { Mailbox } from './mailbox.ts';
import type { Delivery } from './nats.ts';

export interface Standing {
  readonly floor: number;
  readonly delivered: number;
  readonly deliverySeq: number;
  /** Which process of the server said so. */
  readonly server: string;
}

export class Doubt {
  #floor: number;
  #horizon: number;
  /** Since the last gap in the count nothing was handed out to us for the first time. */
  #gap = false;
  #deliverySeq: number;
  #server: string;
  /** How many deliveries from now on may be out of count. */
  #uncounted = 0;
  readonly #ahead: number;
  /** D4. */
  readonly suspects = new Mailbox();

  /** `ahead`: how many deliveries may have come to this process that `saw` has not been told of. */
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

  /** To be told of every delivery, in order, and of the server that we are connected to. */
  saw({ seq, tries, deliverySeq }: Pick<Delivery, 'seq' | 'tries' | 'deliverySeq'>, server: string): void {
    // a server that was killed has forgotten its last hand-outs, and counts them again
    if (server !== this.#server) this.#uncounted = this.#ahead + 1;
    if (deliverySeq !== this.#deliverySeq + 1 || this.#uncounted > 0) this.#gap = true;
    if (this.#gap) this.#horizon = Math.max(this.#horizon, seq - 1);
    if (tries === 1) this.#gap = false;
    this.#server = server;
    this.#deliverySeq = deliverySeq;
    this.#uncounted = Math.max(0, this.#uncounted - 1);
  }

  /** To be told of a message that this process was given and did not handle. */
  letGo({ seq }: Pick<Delivery, 'seq'>): void {
    this.#horizon = Math.max(this.#horizon, seq);
  }

  /** To be told what the server says of the consumer; a floor never falls, though a server that died may say so. */
  heard({ floor }: Pick<Standing, 'floor'>): void {
    this.#floor = Math.max(this.#floor, floor);
  }

  /** From where to look for something earlier than `seq`, or null when there can be nothing. */
  lookFrom(cursor: number, seq: number): number | null {
    const handled = Math.max(cursor, this.#floor);
    return handled < Math.min(this.#horizon, seq - 1) ? handled + 1 : null;
  }
}
