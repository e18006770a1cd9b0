// The time that one answer may take, and what is done with it: a request that fails in a passing way is made again.
import { createHash } from 'node:crypto';
import { monotonic, sleep } from '#kit/clock';
import { access } from './access.ts';
import { Fault, faultOf, type Place, whereOf } from './fault.ts';
import { mindRequests } from './metrics.ts';

const firstDelayMs = 250;
const longestDelayMs = 8_000;
/** A request whose answer is unfit may be made so many times: more would not help. */
const unfitAttempts = 2;

export class Patience {
  readonly #signal: AbortSignal;
  readonly #seconds: number;
  readonly #until: number;
  readonly #seed: string;

  /** `seed`: two conversations that were refused together do not come back together. */
  constructor(signal: AbortSignal, seed: string) {
    this.#signal = signal;
    this.#seconds = access().answerSeconds;
    this.#until = monotonic() + this.#seconds * 1_000;
    this.#seed = seed;
  }

  /** Asks until there is an answer, a fault that does not pass, or no more time. */
  async ask<T>(place: Place, request: (attempt: Attempt) => Promise<T>): Promise<T> {
    for (let count = 1; ; count += 1) {
      const fault = await this.#once(place, request);
      mindRequests.inc({ outcome: fault instanceof Fault ? fault.code.replace('mind/', '') : 'answered' });
      if (!(fault instanceof Fault)) return fault.answer;
      const wait = Math.max(fault.waitMs ?? 0, this.#delay(count));
      const hopeless = !fault.passing || (fault.code === 'mind/unfit-answer' && count >= unfitAttempts);
      if (hopeless) throw fault;
      if (monotonic() + wait >= this.#until) throw this.#outOfTime(fault, count);
      await sleep(wait, this.#signal);
    }
  }

  async #once<T>(place: Place, request: (attempt: Attempt) => Promise<T>): Promise<Fault | { answer: T }> {
    this.#signal.throwIfAborted();
    const attempt = new Attempt(this.#signal, { leftMs: this.#until - monotonic(), allMs: this.#seconds * 1_000 });
    try {
      return { answer: await attempt.run(request) };
    } catch (error) {
      this.#signal.throwIfAborted();
      const { tookTooLong } = attempt;
      if (!tookTooLong) return faultOf(error, place);
      return new Fault('mind/unreachable', `${whereOf(place)} ${tookTooLong}: is it overloaded?`, { passing: true });
    } finally {
      attempt.end();
    }
  }

  #delay(count: number): number {
    const share = createHash('sha256').update(`${this.#seed} ${count}`).digest().readUInt16LE() / 2 ** 16;
    return Math.min(longestDelayMs, firstDelayMs * 2 ** count) * (0.5 + share / 2);
  }

  #outOfTime(fault: Fault, count: number): Fault {
    const asked = `asked ${count} ${count === 1 ? 'time' : 'times'} within ${this.#seconds} s`;
    const wait = fault.waitMs === undefined ? '' : `, and it asks to wait for ${Math.ceil(fault.waitMs / 1_000)} s`;
    return new Fault(fault.code, `${fault.message} (${asked}${wait})`, fault);
  }
}

/** One request: it ends when the time is over, or when nothing has come for half of the time. */
export class Attempt {
  readonly #stop = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #silence: NodeJS.Timeout;
  readonly signal: AbortSignal;
  /** Why it was given up, as a sentence goes on; undefined: it was not. */
  tookTooLong: string | undefined;

  constructor(outer: AbortSignal, { leftMs, allMs }: { leftMs: number; allMs: number }) {
    this.signal = AbortSignal.any([outer, this.#stop.signal]);
    const silentMs = allMs / 2;
    this.#silence = this.#after(silentMs, `was silent for ${silentMs / 1_000} s`);
    this.#after(leftMs, `had not finished its answer after ${allMs / 1_000} s`);
  }

  #after(ms: number, why: string): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.tookTooLong ??= why;
      this.#stop.abort();
    }, ms);
    this.#timers.push(timer);
    return timer;
  }

  /** Something has come. */
  heard(): void {
    this.#silence.refresh();
  }

  /** The answer; rejects once it is given up, even if whoever answers does not notice. */
  async run<T>(request: (attempt: Attempt) => Promise<T>): Promise<T> {
    const given = new Promise<never>((_, reject) => {
      this.signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
    });
    return await Promise.race([request(this), given]);
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#stop.abort();
  }
}
