import { endsOf } from '../ends.ts';
import { duration, percent, plural, share, usd, whole } from '../figures.ts';
import { heldOutOf } from '../held-out.ts';
import type { Estimate } from '../interval.ts';
import { html, type Markup } from '../markup.ts';
import { type RunData, wallSecondsOf } from '../run-data.ts';
import { summaryOf } from '../summary.ts';

/** Less than this is no difference worth a word. */
const slight = 0.02;

function moved(from: number, to: number): string {
  if (Math.abs(to - from) < slight) return `stayed at ${share(to)}`;
  return `${to > from ? 'rose' : 'fell'} from ${share(from)} to ${share(to)}`;
}

/** What came of it, in a sentence or two. */
export function resultOf(data: RunData): string {
  const { record } = data;
  const { over, failure, config } = record;
  const done = record.steps.length;
  const reached = endsOf(data.record.steps);
  const { before, after } = heldOutOf(data);
  const heldOut =
    before && after
      ? `, and on families it was never trained on it ${moved(before.reward.mean, after.reward.mean)}`
      : '';
  const learned = reached
    ? `In ${plural(done, 'step')} the agent’s mean reward ${moved(reached.first, reached.last)}${heldOut}.`
    : `No step was made; ${plural(data.verdicts.length, 'episode has', 'episodes have')} ended.`;
  const why = {
    done: '',
    stopped: ` It was stopped after ${done} of ${config.steps} steps.`,
    budget: ` It ended after ${done} of ${config.steps} steps, when its budget was spent.`,
    failed: ` It could not go on after ${done} of ${config.steps} steps${failure ? `: ${failure.detail}` : ''}.`,
  };
  if (over === null) return `${learned} It is still under way, at step ${done} of ${config.steps}.`;
  return learned + why[over];
}

interface Figure {
  readonly name: string;
  readonly figure: string;
  readonly more: string;
}

const interval = ({ low, high }: Estimate): string => `${share(low)}–${share(high)}`;
const arrow = (from: number | undefined, to: number | undefined): string =>
  from === undefined && to === undefined
    ? '–'
    : `${from === undefined ? '–' : share(from)} → ${to === undefined ? '–' : share(to)}`;

function figuresOf(data: RunData): Figure[] {
  const { outcomes, pods, secondsToFirstScore, cost, restarts, steps } = summaryOf(data);
  const reached = endsOf(data.record.steps);
  const { before, after } = heldOutOf(data);
  const jobs = data.verdicts.reduce((sum, one) => sum + one.jobs, 0);
  const both = [before, after].flatMap((taken) => (taken ? [interval(taken.reward)] : []));
  return [
    { name: 'Mean reward', figure: arrow(reached?.first, reached?.last), more: reached?.of ?? 'no step was made' },
    {
      name: 'Held-out reward',
      figure: arrow(before?.reward.mean, after?.reward.mean),
      more: both.length > 0 ? `90 % interval ${both.join(' → ')}` : 'not measured',
    },
    {
      name: 'Episodes',
      figure: whole(data.verdicts.length),
      more: `${whole(outcomes.scored)} scored · ${whole(outcomes.invalid)} invalid · ${whole(outcomes.failed)} failed`,
    },
    { name: 'Jobs trained', figure: whole(jobs), more: `in ${plural(steps.length, 'step')} of the agent` },
    {
      name: 'Time',
      figure: duration(wallSecondsOf(data)),
      more: secondsToFirstScore === null ? 'nothing was scored' : `first score after ${duration(secondsToFirstScore)}`,
    },
    {
      name: 'Pod time used',
      figure: pods.usefulShare === null ? '–' : percent(pods.usefulShare),
      more: `${plural(pods.max, 'pod')} at once at most`,
    },
    { name: 'Cost', figure: usd(cost.usd), more: `${usd(data.record.config.podUsdPerHour)} for an hour of a pod` },
    { name: 'Restarts', figure: whole(restarts), more: 'processes that were started again' },
  ];
}

export const glance = (data: RunData): Markup =>
  html`<dl class="glance">${figuresOf(data).map(({ name, figure, more }) => html`<div><dt>${name}</dt><dd>${figure}</dd><dd class="more">${more}</dd></div>`)}</dl>`;
