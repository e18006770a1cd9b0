import { setImmediate } from 'node:timers/promises';
import { type JetStreamManager, type JsMsg, NatsError } from 'nats';
import type { Bus } from '#kit/bus';
import { Doubt } from '#kit/doubt';
import { idsFrom } from '#kit/ids';
import { Mailbox } from '#kit/mailbox';
import { type Delivery, toDelivery } from '#kit/nats';
import { Records } from '#kit/records';
import { deliver, type TurnsDeps } from '#kit/turns';
import { parseSubject } from '#protocol/message';
import { stateOf, turnsOf } from '#protocol/streams';

export interface Numbers {
  readonly numbers: number[];
}
export type Deps = TurnsDeps<Numbers>;

/** A message that was begun five times is parked; two of those are kept for `finish` and for whoever finds it earlier. */
const mostTries = 3;

/** Where a message is acknowledged; the client shows it on what it calls a message, not in its type. */
const replyOf = (message: JsMsg): string => (message as JsMsg & { readonly reply: string }).reply;

/** What becomes of a message that was handed out. */
interface Hands {
  ack(message: JsMsg): Promise<void>;
  back(message: JsMsg): Promise<void>;
}

interface Waiting {
  readonly go: () => Promise<void>;
  readonly fail: () => void;
}

/**
 * A process whose every step on the bus waits to be let through, so that a test chooses the interleaving. What happens
 * between two steps happens at once.
 */
class SteppedProcess {
  readonly deps: Deps;
  readonly mailbox = new Mailbox();
  readonly waiting: Waiting[] = [];
  /** Nothing waits any more, and nothing may go wrong. */
  open = false;
  wentWrong: unknown;
  readonly #bus: Bus;

  constructor(bus: Bus, { actor, sabotage }: Setting, doubt: Doubt) {
    this.#bus = bus;
    const gated = this.#gated(bus);
    const records = new Records(gated, actor, { bucket: stateOf(actor.name), fence: undefined });
    const ids = idsFrom(Buffer.from('the secret of a test'));
    this.deps = sabotage({ bus: gated, actor, records, ids, doubt, single: false, told: () => undefined });
  }

  /** What `serve` does with a delivery. */
  take(message: JsMsg, hands: Hands): void {
    const later = (act: () => Promise<void>) => () => void this.#gate(act).catch(() => undefined);
    const ack = later(() => hands.ack(message));
    const nak = later(() => hands.back(message));
    const delivery: Delivery = { ...toDelivery(message), ack, nak };
    this.deps.doubt.saw(delivery, this.#bus.server);
    void this.mailbox.run(parseSubject(delivery.subject)?.address ?? '', async () => {
      await deliver(this.deps, delivery).catch((error) => {
        this.deps.doubt.letGo(delivery);
        this.wentWrong = error;
      });
    });
  }

  async ask(): Promise<JsMsg | undefined> {
    const { stream, name } = turnsOf(this.deps.actor.name);
    const asked = this.#bus.nc.jetstream().pull(stream.name, name, 200);
    return await asked.catch((error) => {
      if (error instanceof NatsError && error.code === '408') return undefined;
      throw error;
    });
  }

  #gated(bus: Bus): Bus {
    return new Proxy(bus, {
      get: (target, name: keyof Bus) => {
        const what = target[name];
        return typeof what === 'function'
          ? (...args: unknown[]) => this.#gate(() => Reflect.apply(what, target, args) as Promise<unknown>)
          : what;
      },
    });
  }

  #gate<T>(act: () => Promise<T>): Promise<T> {
    if (this.open) return act();
    return new Promise((resolve, reject) => {
      const go = (): Promise<void> => act().then(resolve, reject);
      this.waiting.push({ go, fail: () => reject(new Error('a step that failed')) });
    });
  }
}

interface Setting {
  readonly actor: Deps['actor'];
  readonly jsm: JetStreamManager;
  /** What a test breaks, to see that it is noticed. */
  readonly sabotage: (deps: Deps) => Deps;
}

export const actions = ['pull', 'step', 'fail', 'expire', 'crash'] as const;
export interface Choice {
  readonly action: (typeof actions)[number];
  readonly process: number;
  readonly which: number;
}

/** Several processes of one actor on one consumer, and whatever a test does to them. */
export class SteppedHouse {
  readonly #buses: readonly Bus[];
  readonly #setting: Setting;
  readonly #processes: SteppedProcess[] = [];
  readonly #acked = new Set<number>();
  /** Not handed back. */
  #handedOut: JsMsg[] = [];

  private constructor(buses: readonly Bus[], setting: Setting) {
    this.#buses = buses;
    this.#setting = setting;
  }

  static async start(buses: readonly Bus[], setting: Setting): Promise<SteppedHouse> {
    const house = new SteppedHouse(buses, setting);
    for (const index of buses.keys()) await house.crash(index);
    return house;
  }

  async act({ action, process, which }: Choice): Promise<void> {
    const index = process % this.#processes.length;
    if (action === 'crash') await this.crash(index);
    else if (action === 'expire') await this.#expire(which);
    else if (action === 'pull') await this.#pull(this.#at(index));
    else await this.#step(this.#at(index), { which, fails: action === 'fail' });
    await setImmediate();
  }

  /** A crashed process is never let through again; a new one, which knows what the server knows, takes its place. */
  async crash(index: number): Promise<void> {
    const bus = this.#buses[index] as Bus;
    const doubt = new Doubt(await bus.standing(turnsOf(this.#setting.actor.name)), 0);
    this.#processes[index] = new SteppedProcess(bus, this.#setting, doubt);
  }

  /** Every process crashes; a new one, unhindered, is given all that is left. */
  async finish(): Promise<void> {
    await this.crash(0);
    for (const message of this.#inHand()) await this.#handBack(message);
    const last = this.#at(0);
    last.open = true;
    for (;;) {
      const pulled = await this.#pull(last);
      await last.mailbox.idle();
      if (last.wentWrong) throw last.wentWrong;
      if (!pulled && this.#inHand().length === 0) return;
    }
  }

  #at(index: number): SteppedProcess {
    return this.#processes[index] as SteppedProcess;
  }

  #inHand(): JsMsg[] {
    return this.#handedOut.filter(({ seq }) => !this.#acked.has(seq));
  }

  async #pull(process: SteppedProcess): Promise<boolean> {
    const { stream, name } = turnsOf(this.#setting.actor.name);
    const { num_pending, num_ack_pending } = await this.#setting.jsm.consumers.info(stream.name, name);
    if (num_pending + num_ack_pending <= this.#inHand().length) return false;
    const message = await process.ask();
    if (!message) return false;
    this.#handedOut.push(message);
    process.take(message, { ack: (one) => this.#ack(one), back: (one) => this.#handBack(one) });
    return true;
  }

  async #step({ waiting }: SteppedProcess, { which, fails }: { which: number; fails: boolean }): Promise<void> {
    const [one] = waiting.splice(which % waiting.length, 1);
    if (!one) return;
    if (fails) one.fail();
    // the server may have done what the process takes for failed
    if (!fails || which % 2 === 0) await one.go();
  }

  /** As if the ack wait of a hand-out had passed: the next process that asks is given the message. */
  async #expire(which: number): Promise<void> {
    const candidates = this.#inHand().filter(({ info }) => info.deliveryCount < mostTries);
    const message = candidates[which % candidates.length];
    if (message) await this.#handBack(message);
  }

  /**
   * Answered when the server has done it. Not by the client's own `ack` and `nak`: after one of them it is silent, while
   * here a message that was taken from a process can still be acknowledged by it.
   */
  async #answer(message: JsMsg, answer: '+ACK' | '-NAK'): Promise<void> {
    await this.#buses[0]?.nc.request(replyOf(message), answer);
  }

  async #ack(message: JsMsg): Promise<void> {
    await this.#answer(message, '+ACK');
    this.#acked.add(message.seq);
  }

  async #handBack(message: JsMsg): Promise<void> {
    this.#handedOut = this.#handedOut.filter(({ seq }) => seq !== message.seq);
    await this.#answer(message, '-NAK');
  }
}
