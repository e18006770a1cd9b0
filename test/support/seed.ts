import { randomInt } from 'node:crypto';
import type { ExecutionContext } from 'ava';

/** Numbers below `below`, the same for the same seed: UPLIFT_TEST_SEED, or a new one that the test's log tells. */
export function seeded(t: Pick<ExecutionContext, 'log'>): (below: number) => number {
  const seed = Number(process.env.UPLIFT_TEST_SEED ?? randomInt(2 ** 31));
  t.log(`UPLIFT_TEST_SEED=${seed}`);
  let state = seed;
  // mulberry32
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
