export interface Spread {
  readonly p50: number;
  readonly p99: number;
}

export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};
export const median = (values: readonly number[]): number => quantile(values, 0.5);
export const spread = (values: readonly number[]): Spread => ({
  p50: round(quantile(values, 0.5)),
  p99: round(quantile(values, 0.99)),
});
export const round = (value: number): number => Number(value.toPrecision(4));

/** Milliseconds of each of `count` calls, one after the other. */
export async function timeEach(count: number, work: (n: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    await work(n);
    times.push(performance.now() - began);
  }
  return times;
}

/** Calls a second, `lanes` at a time. */
export async function rate(count: number, lanes: number, work: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const began = performance.now();
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (count / (performance.now() - began)) * 1000;
}
