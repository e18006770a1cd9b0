/**
 * A consumer hands messages to any process that asks, so what this process is given may come after something that lies,
 * unhandled, in the hands of another, or of one that died. This keeps account of where that can be:
 *
 *     … acknowledged …  floor  … perhaps in other hands …  horizon  … only ours …
 *
 * D1 At or below `floor` everything is handled, and what those turns sent is out.
 * D2 Above `horizon` everything that was handed out was handed to this process, in order.
 * So an actor whose cursor is below `horizon` looks into the stream before it takes a later message; others need not.
 */
export interface Standing {
  readonly floor: number;
  readonly delivered: number;
  readonly deliverySeq: number;
}

export class Doubt {
  #floor: number;
  #horizon: number;
  #deliverySeq: number;

  constructor({ floor, delivered, deliverySeq }: Standing) {
    this.#floor = floor;
    this.#horizon = delivered;
    this.#deliverySeq = deliverySeq;
  }

  get floor(): number {
    return this.#floor;
  }

  /** To be told of every delivery, in order. A gap in the consumer's own count went to somebody else. */
  saw({ seq, deliverySeq }: { seq: number; deliverySeq: number }): void {
    if (deliverySeq !== this.#deliverySeq + 1) this.#horizon = Math.max(this.#horizon, seq - 1);
    this.#deliverySeq = deliverySeq;
  }

  /** To be told of a message that this process was given and did not handle. */
  letGo({ seq }: { seq: number }): void {
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
