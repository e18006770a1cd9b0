import { duration, percent, share, usd } from './report/figures.ts';
import { meanOf } from './report/interval.ts';
import type { Summary } from './report/summary.ts';
import { bold, dim } from './say.ts';

/** What a run came to, in a few lines. */
export function endLines({ steps, heldOut, outcomes, wallSeconds, pods, cost, over }: Summary): string[] {
  const { before, after } = heldOut;
  const rewards = steps.map(({ reward }) => reward);
  const interval = (of: typeof before): string =>
    of ? `${bold(share(of.reward))} ${dim(`[${share(of.rewardLow)}, ${share(of.rewardHigh)}]`)}` : '–';
  const { scored, invalid, failed } = outcomes;
  return [
    `${bold(over === 'done' ? 'done' : `over (${over})`)} in ${duration(wallSeconds)}: ${steps.length} steps, ` +
      `${scored + invalid + failed} episodes (${scored} scored, ${invalid} invalid, ${failed} failed) on ${pods.max} pods`,
    `reward     ${bold(share(meanOf(rewards.slice(0, 2))))} → ${bold(share(meanOf(rewards.slice(-3))))}  ${dim('mean of the first two steps, and of the last three')}`,
    `held out   ${interval(before)} → ${interval(after)}  ${dim('families that were never trained on, with 90 % intervals')}`,
    `pods       ${pods.usefulShare === null ? '–' : percent(pods.usefulShare)} of their time in training · cost ${usd(cost.usd)}`,
  ];
}
