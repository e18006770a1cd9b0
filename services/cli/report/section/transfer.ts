import { responsive } from '../chart/frame.ts';
import { ranges } from '../chart/ranges.ts';
import { rows } from '../chart/rows.ts';
import { orDash, share } from '../figures.ts';
import { type Evaluation, evaluationsOf, type FamilyUplift, familiesOf } from '../held-out.ts';
import { html, type Markup } from '../markup.ts';
import type { RunData } from '../run-data.ts';
import { figure, none, section, table } from './parts.ts';

const interval = ({ low, high }: { low: number; high: number }): string => `${share(low)}–${share(high)}`;

function chart(taken: readonly Evaluation[], last: number, width: number): Markup {
  const end = Math.max(last, ...taken.map(({ policyVersion }) => policyVersion));
  return ranges(
    {
      width,
      height: 240,
      right: 56,
      says: 'Mean reward on families that are not trained on, by version of the policy, with 90 % intervals',
      x: { range: [0, Math.max(1, end)], label: 'version of the policy (steps learned)', whole: true },
      y: { range: [0, 1], label: 'mean reward, 0 to 1; bar: 90 % interval' },
    },
    taken.map(({ policyVersion, reward }) => ({
      x: policyVersion,
      y: reward.mean,
      low: reward.low,
      high: reward.high,
      text: share(reward.mean),
      says: `after ${policyVersion} steps: reward ${share(reward.mean)}, 90 % interval ${interval(reward)}, ${reward.count} episodes`,
    })),
  );
}

export function heldOut(data: RunData): Markup {
  const says =
    'Families that the agent is never trained on, before the first step, on the way, and after the last. Where two intervals do not overlap, the difference is more than chance.';
  const taken = evaluationsOf(data).filter(({ reward }) => reward.count > 0);
  if (taken.length === 0) return section('Held out', says, none('No evaluation was taken.'));
  return section(
    'Held out',
    says,
    html`<div class="beside">${figure(
      'Mean held-out reward',
      responsive((width) => chart(taken, data.record.policyVersion, width), 560),
    )}${numbers(taken)}</div>`,
  );
}

const withInterval = (of: Evaluation['reward']): string => `${share(of.mean)} (${interval(of)})`;

const numbers = (taken: readonly Evaluation[]): Markup =>
  table(
    ['step', 'reward (90 %)', 'uplift (90 %)', 'episodes'],
    taken.map(({ policyVersion, reward, uplift }) => [
      policyVersion,
      withInterval(reward),
      withInterval(uplift),
      reward.count,
    ]),
  );

const rowOf = ({ family, heldOut: held, before, after, episodes }: FamilyUplift) => ({
  name: family,
  before,
  after,
  text: `${orDash(before)} → ${orDash(after)}`,
  says: `${family}${held ? ' (held out)' : ''}: mean uplift ${orDash(before)} before, ${orDash(after)} after, ${episodes} episodes`,
  colour: held ? 'c2' : 'c1',
});

export function families(data: RunData): Markup {
  const says =
    'Mean uplift of the jobs of each family: the empty mark is the first quarter of the run, the full one the last. Of held-out families they are the evaluations before and after.';
  const all = familiesOf(data);
  if (all.length === 0) return section('Families', says, none('No episode says anything of a family yet.'));
  const key = html`<p class="key"><span class="swatch c2"></span>held out <span class="swatch c1"></span>trained on</p>`;
  return section('Families', says, [
    key,
    responsive((width) =>
      rows(
        { width, says: 'Mean uplift of each family before and after', label: 'mean uplift, 0 to 1' },
        all.map(rowOf),
      ),
    ),
  ]);
}
