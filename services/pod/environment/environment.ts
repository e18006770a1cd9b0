import { Worker } from 'node:worker_threads';
import type { Finding } from '#protocol/finding';
import { EnvironmentFault, fault } from './fault.ts';
import { type Limits, threadStackMb } from './limits.ts';

/**
 * The environment of a job: what the model is asked, and what an answer is worth, by a script that nobody has read.
 * It runs in an interpreter without an outside (cell.ts), in a thread that is ended when it does not answer.
 * Everything that may go wrong with a script rejects with an EnvironmentFault, and ends nothing but the environment.
 */
export interface Environment {
  /** `n` prompts; the same for the same seed. */
  prompts(seed: number, n: number): Promise<string[]>;
  /** What a completion is worth, 0 to 1. */
  reward(prompt: string, completion: string): Promise<number>;
  /** The same for many at once, under the limits of one call. */
  rewards(prompts: readonly string[], completions: readonly string[]): Promise<number[]>;
  dispose(): Promise<void>;
}

export interface Job {
  readonly source: string;
  readonly limits: Limits;
}
export type Question =
  | { readonly ask: 'prompts'; readonly seed: number; readonly n: number }
  | { readonly ask: 'rewards'; readonly prompts: readonly string[]; readonly completions: readonly string[] };
export type Answer = { readonly value: string[] | number[] } | { readonly finding: Finding };

/** The thread itself notices an overrun, unless it is inside one built-in; then it is ended after this much longer. */
const graceMs = 1_000;
const startMs = 60_000;

export async function loadEnvironment(source: string, limits: Limits): Promise<Environment> {
  const thread = new Thread({ source, limits });
  try {
    await thread.started();
    await thread.answer();
  } catch (error) {
    await thread.end();
    throw error;
  }
  const rewards: Environment['rewards'] = async (prompts, completions) =>
    (await thread.ask({ ask: 'rewards', prompts, completions })).map(Number);
  return {
    prompts: async (seed, n) => (await thread.ask({ ask: 'prompts', seed, n })).map(String),
    rewards,
    reward: async (prompt, completion) => Number((await rewards([prompt], [completion]))[0]),
    dispose: () => thread.end(),
  };
}

type Values = string[] | number[];

/** One question at a time, each with its time. */
class Thread {
  readonly #worker: Worker;
  readonly #limitMs: number;
  readonly #mail: Answer[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  /** Why nothing is answered any more. */
  #over: Error | undefined;
  #wake: () => void = () => {};

  constructor(job: Job) {
    this.#limitMs = job.limits.milliseconds + graceMs;
    this.#worker = startThread(job);
    this.#worker.on('message', (answer: Answer) => {
      this.#mail.push(answer);
      this.#wake();
    });
    this.#worker.on('error', (error) => this.#close(error));
    this.#worker.on('exit', () => this.#close(new Error('the environment was disposed of')));
  }

  /** Not the fault of the script: its thread and its interpreter must be there first. */
  async started(): Promise<void> {
    await this.#next(startMs, () => new Error(`the thread of an environment did not start within ${startMs} ms`));
  }

  async answer(): Promise<Values> {
    const overran = () =>
      fault('environment/time', `one built-in ran for more than ${this.#limitMs} ms: is it given an endless array?`);
    const answer = await this.#next(this.#limitMs, overran);
    if ('finding' in answer) throw new EnvironmentFault(answer.finding);
    return answer.value;
  }

  ask(question: Question): Promise<Values> {
    const answered = this.#turn.then(() => {
      if (this.#over) throw this.#over;
      this.#worker.postMessage(question);
      return this.answer();
    });
    this.#turn = answered.catch(() => {});
    return answered;
  }

  async end(): Promise<void> {
    this.#close(new Error('the environment was disposed of'));
    await this.#worker.terminate();
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

/** Of a checkout the sources run, by tsx, which a thread has to be told; of an image what tsc made of them. */
function startThread(workerData: Job): Worker {
  const resourceLimits = { stackSizeMb: threadStackMb };
  const typescript = import.meta.url.endsWith('.ts');
  const file = new URL(`./thread.${typescript ? 'ts' : 'js'}`, import.meta.url);
  if (!typescript) return new Worker(file, { workerData, resourceLimits });
  const [tsx, main] = [import.meta.resolve('tsx/esm/api'), file.href].map((url) => JSON.stringify(url));
  return new Worker(`import(${tsx}).then(({ register }) => (register(), import(${main})))`, {
    eval: true,
    workerData,
    resourceLimits,
  });
}
