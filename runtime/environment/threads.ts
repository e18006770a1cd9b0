import type { Finding } from '#protocol/finding';
import { startThread } from '../start-thread.ts';
import { EnvironmentFault, fault } from './fault.ts';
import { type Limits, threadStackMb } from './limits.ts';

export type Question =
  | { readonly ask: 'open'; readonly limits: Limits }
  | { readonly ask: 'run'; readonly source: string }
  | { readonly ask: 'prompts'; readonly seed: number; readonly n: number }
  | { readonly ask: 'rewards'; readonly prompts: readonly string[]; readonly completions: readonly string[] }
  | { readonly ask: 'close' };
type Values = string[] | number[];
export type Answer = { readonly value: Values } | { readonly finding: Finding };

/** A thread notices an overrun itself, unless it is inside one built-in; then it is ended after this much longer. */
const graceMs = 1_000;
/** For a thread or an interpreter to be there, which is not the fault of a script. */
export const startMs = 60_000;
/** A thread takes longer to start than an environment to load, so a few are kept: two for each of two checks at once. */
const mostIdle = 4;

const idle: Thread[] = [];

/** A thread without an environment: one that is left over, or a new one. */
export async function takeThread(): Promise<Thread> {
  const thread = idle.pop() ?? new Thread();
  await thread.ready();
  return thread;
}

/** Starts a thread before it is needed. */
export async function prepareThread(): Promise<void> {
  await (await takeThread()).leave();
}

/** One question at a time, each with its time. */
export class Thread {
  readonly #worker = startThread(new URL('./thread', import.meta.url), {
    resourceLimits: { stackSizeMb: threadStackMb },
  });
  readonly #mail: Answer[] = [];
  #turn: Promise<unknown>;
  #waiting = 0;
  /** Why nothing is answered any more. */
  #over: Error | undefined;
  #wake: () => void = () => {};

  constructor() {
    this.#worker.on('message', (answer: Answer) => {
      this.#mail.push(answer);
      this.#wake();
    });
    this.#worker.on('error', (error) => this.#close(error));
    this.#worker.on('exit', () => this.#close(new Error('the thread of an environment ended')));
    const late = () => new Error(`the thread of an environment did not start within ${startMs} ms`);
    this.#turn = this.#next(startMs, late);
    this.#turn.catch(() => {});
  }

  async ready(): Promise<void> {
    this.#worker.ref();
    await this.#turn;
  }

  ask(question: Question, milliseconds: number): Promise<Values> {
    this.#waiting += 1;
    const answered = this.#turn.then(() => this.#ask(question, milliseconds + graceMs));
    this.#turn = answered
      .catch(() => {})
      .then(() => {
        this.#waiting -= 1;
      });
    return answered;
  }

  /** To the next environment, or, while it is busy or there are enough of them, to its end. */
  async leave(): Promise<void> {
    if (this.#over || this.#waiting > 0 || idle.length >= mostIdle) {
      this.#close(new Error('the environment was disposed of'));
      await this.#worker.terminate();
      return;
    }
    await this.ask({ ask: 'close' }, startMs);
    this.#worker.unref();
    idle.push(this);
  }

  async #ask(question: Question, milliseconds: number): Promise<Values> {
    if (this.#over) throw this.#over;
    this.#worker.postMessage(question);
    const answer = await this.#next(milliseconds, () =>
      fault('environment/time', `one built-in ran for more than ${milliseconds} ms: is it given an endless array?`),
    );
    if ('finding' in answer) throw new EnvironmentFault(answer.finding);
    return answer.value;
  }

  async #next(withinMs: number, overran: () => Error): Promise<Answer> {
    const timer = setTimeout(() => {
      this.#close(overran());
      void this.#worker.terminate();
    }, withinMs);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#mail.length > 0 || this.#over) resolve();
    });
    clearTimeout(timer);
    const answer = this.#mail.shift();
    if (!answer) throw this.#over;
    return answer;
  }

  #close(why: Error): void {
    this.#over ??= why;
    this.#wake();
  }
}
