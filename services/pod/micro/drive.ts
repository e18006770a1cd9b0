import { setImmediate } from 'node:timers/promises';

/**
 * Runs a generator of small pieces of work to its end, with a turn of the event loop between the pieces, so that
 * timers and messages of the same process are served. Rejects with the signal's reason as soon as it is aborted.
 */
export async function drive<T>(work: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = work.next();
      if (done) return value;
      await setImmediate();
    }
  } finally {
    // an abandoned generator would keep its blocks; a finished one ignores this
    work.return(undefined as never); // its value is not read
  }
}
