import { endsOf } from './report/ends.ts';
import { duration, percent, share, usd } from './report/figures.ts';
import type { Summary } from './report/summary.ts';
import { bold, dim } from './say.ts';

/** How a run went, in a few lines. */
export function endLines({ steps, heldOut, outcomes, wallSeconds, pods, cost, over }: Summary): string[] {
  const { before, after } = heldOut;
  const ends = endsOf(steps);
  const interval = (of: typeof before): string =>
    of ? `${bold(share(of.reward))} ${dim(`[${share(of.rewardLow)}, ${share(of.rewardHigh)}]`)}` : '–';
  const { scored, invalid, failed } = outcomes;
  return [
    `${bold(over === 'done' ? 'done' : `over (${over})`)} in ${duration(wallSeconds)}: ${steps.length} steps, ` +
      `${scored + invalid + failed} episodes (${scored} scored, ${invalid} invalid, ${failed} failed) on ${pods.max} pods`,
    `reward     ${ends ? `${bold(share(ends.first))} → ${bold(share(ends.last))}  ${dim(`mean of the ${ends.of}`)}` : '–'}`,
    `held out   ${interval(before)} → ${interval(after)}  ${dim('families never trained on, with 90 % intervals')}`,
    `pods       ${pods.usefulShare === null ? '–' : percent(pods.usefulShare)} of their time in training · cost ${usd(cost.usd)}`,
  ];
}
