import { createHmac } from 'node:crypto';

/** Returns the next number of a stream, in [0, 1). */
export type Rng = () => number;

/**
 * A stream of random numbers, named by labels under a seed: HMAC-SHA256 in counter mode. Without the seed nobody can
 * predict a stream, not even from all other streams of that seed; so probe items say nothing about hidden ones.
 */
export function stream(seed: string, ...labels: readonly string[]): Rng {
  const name = JSON.stringify(labels);
  let block = Buffer.alloc(0);
  let at = 0;
  let count = 0;
  return () => {
    if (at >= block.length) {
      block = createHmac('sha256', seed).update(`${count}:${name}`).digest();
      count += 1;
      at = 0;
    }
    const value = block.readUInt32LE(at) / 2 ** 32;
    at += 4;
    return value;
  };
}

/** A whole number in [0, below). */
export const whole = (rng: Rng, below: number): number => Math.floor(rng() * below);

/** One element of a list. Throws if the list is empty. */
export function pick<T>(rng: Rng, list: readonly T[]): T {
  const at = whole(rng, list.length);
  if (at in list) return list[at] as T;
  throw new Error('one of an empty list was wanted: give at least one');
}
