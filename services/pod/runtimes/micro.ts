import type { Worker } from 'node:worker_threads';
import type { TrainingStep } from '#protocol/training';
import { train as trainConfig } from '#protocol/workspace';
import { microFingerprint } from '#runtime/fingerprint';
import { startThread } from '#runtime/start-thread';
import type { Answer, Question } from './micro-thread.ts';
import type { Order, Runtime, Training } from './runtime.ts';

/**
 * Real GRPO on a tiny transformer, on the CPU (`runtime/micro`). It runs in a thread, so that this process can still
 * answer the bus. The thread is kept for the next job, unless it does not stop when it is told to: then it is
 * terminated.
 */
const stopMs = 1_000;

/** Takes less than a second on any machine of ours. */
const selfTest: Order = {
  baseModel: 'micro-m',
  train: trainConfig.parse({ steps: 3, max_tokens: 8 }),
  files: {
    'environment.js': `function prompts(rng, n) { return Array.from({ length: n }, () => 'abcdefgh'[Math.floor(rng() * 8)] + 'bcd>'); }
function reward(prompt, completion) { return completion.length / 8; }`,
  },
  seconds: 60,
};

let thread: Worker | undefined;
let turn: Promise<unknown> = Promise.resolve();

export const micro: Runtime = {
  version: microFingerprint,
  selfTest,

  train(order, how) {
    const curve: TrainingStep[] = [];
    return ask({ ask: 'train', order }, how.signal, (answer): Training | undefined => {
      if (answer.say === 'trained') return { curve, ...answer };
      if (answer.say === 'step') curve.push(answer.step);
      if (answer.say === 'step') how.onStep?.(answer.step);
      return undefined;
    });
  },

  answer(weights, prompts, { signal }) {
    const question = { ask: 'answer', weights, prompts } as const;
    return ask(question, signal, (answer) => (answer.say === 'answered' ? answer.completions : undefined));
  },
};

/** Asks one question at a time; `heed` is given each answer until it returns a result. */
function ask<T>(question: Question, signal: AbortSignal, heed: (answer: Answer) => T | undefined): Promise<T> {
  const asked = turn.then(() => askNow(question, signal, heed));
  turn = asked.catch(() => undefined);
  return asked;
}

async function askNow<T>(question: Question, signal: AbortSignal, heed: (answer: Answer) => T | undefined): Promise<T> {
  signal.throwIfAborted();
  thread ??= start();
  const worker = thread;
  let late: NodeJS.Timeout | undefined;
  const stop = (): void => {
    worker.postMessage({ ask: 'stop' } satisfies Question);
    late = setTimeout(() => worker.terminate(), stopMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  worker.ref();
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.on('message', (answer: Answer) => {
        if (answer.say === 'threw') return reject(new Error(answer.error));
        if (answer.say === 'stopped') return reject(signal.reason);
        const heard = heed(answer);
        if (heard !== undefined) resolve(heard);
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(signal.aborted ? signal.reason : new Error('the thread of runtime micro ended')));
      worker.postMessage(question);
    });
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
    for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
    keep(worker);
  }
}

const start = (): Worker => startThread(new URL('./micro-thread', import.meta.url));

/** Keeps the thread for the next question; if it has ended by then, another one is started. */
function keep(worker: Worker): void {
  const forget = (): void => {
    if (thread === worker) thread = undefined;
  };
  worker.once('exit', forget).once('error', forget).unref();
  if (worker.threadId === -1) forget();
}
