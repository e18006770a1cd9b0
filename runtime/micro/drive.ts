import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 4; // longest that a run keeps the event loop to itself, give or take one piece of work

/** Called between pieces of work: rejects with the signal's reason once it is aborted, and lets the event loop turn. */
export type Turn = () => Promise<void>;

/** Timers and messages of the same process are served between the slices; the result of the work knows nothing of it. */
export function turns(signal: AbortSignal | undefined): Turn {
  let last = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - last < SLICE_MS) return;
    await setImmediate();
    signal?.throwIfAborted();
    last = performance.now();
  };
}

/** Runs a generator of small pieces of work to its end. */
export async function drive<T>(work: Generator<void, T>, turn: Turn): Promise<T> {
  try {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      await turn();
    }
  } finally {
    // an abandoned generator would keep its blocks; a finished one ignores this
    work.return(undefined as never); // its value is not read
  }
}

/** The outcome of somebody else's work, or a rejection with the signal's reason as soon as that is aborted. */
export async function orAbort<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal || !(work instanceof Promise)) return work;
  signal.throwIfAborted();
  const { promise, stop } = rejection(signal);
  try {
    return await Promise.race([work, promise]);
  } finally {
    stop();
  }
}

function rejection(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  let stop = (): void => {};
  const promise = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  return { promise, stop };
}
