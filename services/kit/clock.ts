import { setTimeout } from 'node:timers/promises';

export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, signal ? { signal } : {});

/** Milliseconds that never go backwards; only differences mean anything. */
export const monotonic = (): number => performance.now();

/** Milliseconds since 1970, by this machine's clock. Decisions use `turn.now` instead. */
export const now = (): number => Date.now();
