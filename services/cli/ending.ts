import type { Summary } from './report/summary.ts';
import { bold, dim } from './say.ts';

const two = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : value.toFixed(2);
const minutes = (seconds: number): string =>
  seconds < 60 ? `${seconds.toFixed(0)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** What a run came to, in a few lines. */
export function endLines({ steps, heldOut, outcomes, wallSeconds, pods, cost, over }: Summary): string[] {
  const { before, after } = heldOut;
  const rewards = steps.map(({ reward }) => reward);
  const interval = (of: typeof before): string =>
    of ? `${bold(two(of.reward))} ${dim(`[${two(of.rewardLow)}, ${two(of.rewardHigh)}]`)}` : '–';
  const { scored, invalid, failed } = outcomes;
  return [
    `${bold(over === 'done' ? 'done' : `over (${over})`)} in ${minutes(wallSeconds)}: ${steps.length} steps, ` +
      `${scored + invalid + failed} episodes (${scored} scored, ${invalid} invalid, ${failed} failed) on ${pods.max} pods`,
    `reward     ${bold(two(mean(rewards.slice(0, 2))))} → ${bold(two(mean(rewards.slice(-3))))}  ${dim('mean of the first two steps, and of the last three')}`,
    `held out   ${interval(before)} → ${interval(after)}  ${dim('families that were never trained on, with 90 % intervals')}`,
    `pods       ${pods.usefulShare === null ? '–' : `${Math.round(pods.usefulShare * 100)} %`} of their time in training · cost $${cost.usd.toFixed(2)}`,
  ];
}
