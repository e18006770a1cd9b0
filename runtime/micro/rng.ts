/** Next number of a stream, in [0, 1). */
export type Rng = () => number;

/** The streams of one seed, so that one use of randomness never shifts another. */
export const streams = { prompts: 0, sampling: 1, initial: 2, adapter: 3, words: 4 } as const;

/** A stream of random numbers named by whole numbers, such as (seed, use, step). sfc32 (Chris Doty-Humphrey, PractRand). */
export function stream(...name: number[]): Rng {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  const next = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return (t >>> 0) / 2 ** 32;
  };
  for (const part of name) {
    a ^= part | 0;
    b ^= Math.floor(part / 2 ** 32) | 0;
    for (let i = 0; i < 12; i++) next(); // twelve rounds spread every bit of a part over the whole state
  }
  return next;
}

/** Whole number in [0, below). */
export function whole(rng: Rng, below: number): number {
  return Math.floor(rng() * below);
}

/** Standard normal (Box and Muller). */
export function normal(rng: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - rng())) * Math.cos(2 * Math.PI * rng());
}
