import type { StepRecord } from '#protocol/run';
import { responsive } from '../chart/frame.ts';
import { lines, type Point, type Series, smooth } from '../chart/lines.ts';
import { duration, share } from '../figures.ts';
import { html, type Markup } from '../markup.ts';
import type { RunData } from '../run-data.ts';
import { figure, none, section, table } from './parts.ts';

const parts = [
  { part: 'validity', title: 'Validity', says: 'fit to be run, at the first try' },
  { part: 'quality', title: 'Quality', says: '¼ final score, ¾ uplift' },
  { part: 'uplift', title: 'Uplift', says: 'added, of what could be added' },
  { part: 'speed', title: 'Speed', says: 'seconds saved, of the reference' },
] as const;
type Part = (typeof parts)[number]['part'] | 'reward';

const pointsOf = (steps: readonly StepRecord[], part: Part): Point[] =>
  steps.map((one) => ({
    x: one.step,
    y: one[part],
    says: `step ${one.step}: ${part} ${share(one[part])}, mean of ${one.episodes} episodes`,
  }));

const range = (steps: readonly StepRecord[]): [number, number] => [
  Math.min(...steps.map(({ step }) => step)),
  Math.max(...steps.map(({ step }) => step)),
];
const unit = { range: [0, 1] as const };

const formulas = {
  reference: 'Reward is 0.35 validity + 0.60 quality + 0.05 speed.',
  gated: 'Reward is validity × (0.60 quality + 0.05 speed) ÷ 0.65, and quality counts the lower bound of the uplift.',
};

/** So many steps are taken together in the bold line, once there are enough of them. */
const over = 5;

function rewardChart(steps: readonly StepRecord[], width: number): Markup {
  const points = pointsOf(steps, 'reward');
  const series: Series[] =
    steps.length < 2 * over
      ? [{ colour: 'c1', points }]
      : [
          { colour: 'c1 raw', points },
          { colour: 'c1 bold', points: smooth(points, over).map((point) => ({ ...point, says: '' })) },
        ];
  return lines(
    {
      width,
      height: width < 600 ? 240 : 320,
      says: `Mean reward of each of ${steps.length} steps`,
      x: { range: range(steps), label: 'step of the agent', whole: true },
      y: { ...unit, label: 'mean reward, 0 to 1' },
    },
    series,
  );
}

const partChart = (steps: readonly StepRecord[], { part, title, says }: (typeof parts)[number]): Markup =>
  figure(
    title,
    html`<p class="says">${says}</p>${responsive(
      (width) =>
        lines(
          {
            width,
            height: 180,
            says: `Mean ${part} of each step`,
            x: { range: range(steps), label: 'step', whole: true },
            y: { ...unit, label: `mean, 0 to 1` },
          },
          [
            { colour: 'c1', points: pointsOf(steps, 'reward'), faint: true },
            { colour: 'c2', points: pointsOf(steps, part) },
          ],
        ),
      248,
    )}`,
  );

const stepTable = (steps: readonly StepRecord[]): Markup =>
  html`<details><summary>All steps in numbers</summary>${table(
    ['step', 'reward', 'validity', 'quality', 'uplift', 'speed', 'episodes', 'failed', 'jobs', 'staleness', 'time'],
    steps.map((one) => [
      one.step,
      share(one.reward),
      share(one.validity),
      share(one.quality),
      share(one.uplift),
      share(one.speed),
      one.episodes,
      one.failed,
      one.jobs,
      one.stalenessMax,
      duration(one.seconds),
    ]),
  )}</details>`;

export function learning({ record: { steps, config } }: RunData): Markup {
  const says = `${formulas[config.formula]} A step is learned from ${config.groupsPerStep * config.groupSize} episodes; failed ones do not count.`;
  if (steps.length === 0) return section('Reward', says, none('No step was made, so there is no curve.'));
  return section('Reward', says, [
    figure(
      steps.length < 2 * over ? 'Mean reward per step' : `Mean reward per step, and the mean over ${over} steps`,
      responsive((width) => rewardChart(steps, width)),
    ),
    html`<div class="grid-of four">${parts.map((part) => partChart(steps, part))}</div>`,
    html`<p class="note">The grey line is the reward.</p>`,
    stepTable(steps),
  ]);
}
