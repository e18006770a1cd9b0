/** A mean of values from 0 to 1, with its 90 % confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/** The 95 % quantile of the standard normal distribution: 5 % lie beyond it on each side. */
const z = 1.6449;

export const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/**
 * As Agresti and Coull do for shares: z² figures more, half of them 0 and half 1, then the usual interval. So it does
 * not collapse when all figures are equal, and needs no table for few of them. Fewer than two say nothing: all of [0,
 * 1].
 */
export function estimate(values: readonly number[]): Estimate {
  const [count, mean] = [values.length, meanOf(values)];
  if (count < 2) return { mean, low: 0, high: 1, count };
  const n = count + z * z;
  const center = (count * mean + (z * z) / 2) / n;
  const square = (values.reduce((sum, value) => sum + value * value, 0) + (z * z) / 2) / n;
  const half = z * Math.sqrt(Math.max(0, square - center * center) / n);
  return { mean, low: clamp(Math.min(center - half, mean)), high: clamp(Math.max(center + half, mean)), count };
}
