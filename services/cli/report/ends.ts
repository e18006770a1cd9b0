import type { StepRecord } from '#protocol/run';
import { meanOf } from './interval.ts';

interface Ends {
  readonly first: number;
  readonly last: number;
  /** Which steps these are the means of. */
  readonly of: string;
}

/**
 * Mean rewards at both ends of a run: of its first two steps and its last three, or of one each if it has fewer than
 * five.
 */
export function endsOf(steps: readonly StepRecord[]): Ends | null {
  if (steps.length === 0) return null;
  const mean = (some: readonly StepRecord[]): number => meanOf(some.map(({ reward }) => reward));
  if (steps.length < 5) return { first: mean(steps.slice(0, 1)), last: mean(steps.slice(-1)), of: 'first step → last' };
  return { first: mean(steps.slice(0, 2)), last: mean(steps.slice(-3)), of: 'first two steps → last three' };
}
