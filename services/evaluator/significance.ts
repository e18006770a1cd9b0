/**
 * The probability of at least this many successes in n tries, each with this chance. The terms are computed as
 * logarithms, so that a thousand tries are no problem.
 */
export function tail(successes: number, n: number, chance: number): number {
  let logTerm = 0;
  let sum = 0;
  for (let k = 0; k <= n; k += 1) {
    if (k > 0) logTerm += Math.log((n - k + 1) / k);
    if (k >= successes) sum += Math.exp(logTerm + k * Math.log(chance) + (n - k) * Math.log1p(-chance));
  }
  return Math.min(1, sum);
}

/** The share of honest jobs that are wrongly accused. */
const doubt = 1e-6;

/** Whether scores on an impossible family are too good to be chance, which proves that something was circumvented. */
export const provesCheating = (scores: readonly number[], floor: number): boolean =>
  tail(
    scores.reduce((sum, score) => sum + score, 0),
    scores.length,
    floor,
  ) < doubt;
