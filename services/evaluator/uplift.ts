/** What training added, as a share of what could be added, with its 90 % confidence interval. */
export interface Uplift {
  readonly before: number;
  readonly after: number;
  readonly uplift: number;
  readonly low: number;
  readonly high: number;
}

/** The 95 % quantile of the standard normal distribution: 5 % lie beyond it on each side. */
const z = 1.6449;

/** Below this, the quotient would only show rounding errors. */
const leastRoom = 1e-9;

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * From the scores of the same items before and after. The interval has a closed form: each item's share in the uplift
 * (its linearisation in both means, so that pairing counts), then the interval of Agresti and Coull: z² items more,
 * half of them without any uplift and half with all of it. So it never collapses: of n items that all went from wrong
 * to right it says no more than 1 - 2.7/n, as the exact one does.
 *
 * If nothing could be added (`before` is 1, or almost) the uplift is 0. One item says nothing: its interval is
 * all of [0, 1].
 */
export function upliftOf(before: readonly number[], after: readonly number[]): Uplift {
  const [was, is] = [mean(before), mean(after)];
  const room = 1 - was;
  if (room < leastRoom) return { before: was, after: is, uplift: 0, low: 0, high: 0 };
  const raw = (is - was) / room;
  const shares = after.map((score, at) => (score - (1 - raw) * (before[at] ?? 0) - raw * was) / room);
  const [low, high] = after.length > 1 ? interval(shares, raw) : [0, 1];
  return { before: was, after: is, uplift: clamp(raw), low: clamp(low), high: clamp(high) };
}

/** The interval of the mean of `shares`, which is `around`; it always contains that mean. */
function interval(shares: readonly number[], around: number): [number, number] {
  const n = shares.length + z * z;
  const center = (shares.length * around + (z * z) / 2) / n;
  const square = (shares.reduce((sum, share) => sum + share * share, 0) + (z * z) / 2) / n;
  const half = z * Math.sqrt(Math.max(0, square - center * center) / n);
  return [Math.min(center - half, around), Math.max(center + half, around)];
}
