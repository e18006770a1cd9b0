import type { StepRecord } from '#protocol/run';
import { bars } from '../chart/bars.ts';
import { responsive } from '../chart/frame.ts';
import { ceiling } from '../chart/scale.ts';
import { strips } from '../chart/strips.ts';
import { duration, percent, plural, usd } from '../figures.ts';
import { meanOf } from '../interval.ts';
import { html, type Markup } from '../markup.ts';
import { podUseOf } from '../pod-use.ts';
import { type RunData, wallSecondsOf } from '../run-data.ts';
import { usefulShareOf } from '../summary.ts';
import { facts, figure, none, section } from './parts.ts';

const stretches = { wide: 90, narrow: 45 };

function podChart(data: RunData, width: number): Markup {
  const count = width < 600 ? stretches.narrow : stretches.wide;
  const wall = wallSecondsOf(data);
  const [end, unit] = wall < 600 ? [wall, 'seconds'] : wall < 7200 ? [wall / 60, 'minutes'] : [wall / 3600, 'hours'];
  const at = (slot: number): string => duration((slot * wall) / count);
  return strips(
    { width, end, says: 'How busy each pod was over the run', label: `${unit} since the start of the run` },
    podUseOf(data, count).map(({ pod, jobs, shares }) => ({
      name: pod,
      text: `${plural(jobs, 'job')}, ${percent(meanOf(shares))} busy`,
      shares: shares.map((share, slot) => ({
        share,
        says: `${pod}, ${at(slot)} to ${at(slot + 1)}: trained ${percent(share)} of the time`,
      })),
    })),
  );
}

export function podUse(data: RunData): Markup {
  const useful = usefulShareOf(data);
  const says = `When each pod trained. Of the time in which pods were there they trained ${useful === null ? 'an unknown share' : percent(useful)}; the rest is waiting, starting and answering the hidden items.`;
  return section(
    'Pods',
    says,
    podUseOf(data, 1).length === 0 ? none('Nothing was trained.') : responsive((width) => podChart(data, width)),
  );
}

function stepBars(
  steps: readonly StepRecord[],
  of: { title: string; label: string; bound?: number; y(step: StepRecord): number },
): Markup {
  const top = ceiling([...steps.map(of.y), of.bound ?? 0]);
  const last = Math.max(...steps.map(({ step }) => step));
  const first = Math.min(...steps.map(({ step }) => step));
  return figure(
    of.title,
    bars(
      {
        width: 340,
        height: 190,
        says: `${of.title} of each step`,
        x: { range: [first - 0.5, last + 0.5], label: 'step', whole: true },
        y: { range: [0, top], label: of.label, whole: top >= 2 },
      },
      steps.map((one) => ({ x: one.step, y: of.y(one), says: `step ${one.step}: ${Number(of.y(one).toFixed(2))}` })),
      of.bound ?? null,
    ),
  );
}

export function pace({ record: { steps, config } }: RunData): Markup {
  const says = `An episode may be learned from by a policy ${plural(config.maxStepsOffPolicy, 'step')} newer than the one that played it, and no more (the dashed line).`;
  if (steps.length === 0) return section('Staleness and pace', says, none('No step was made.'));
  return section(
    'Staleness and pace',
    says,
    html`<div class="grid-of">${[
      stepBars(steps, {
        title: 'Oldest episode of a step',
        label: 'steps off policy',
        bound: config.maxStepsOffPolicy,
        y: ({ stalenessMax }) => stalenessMax,
      }),
      stepBars(steps, { title: 'Time of a step', label: 'seconds since the step before', y: ({ seconds }) => seconds }),
      stepBars(steps, { title: 'Jobs of a step', label: 'jobs trained', y: ({ jobs }) => jobs }),
    ]}</div>`,
  );
}

export function cost(data: RunData): Markup {
  const { record, pods, verdicts } = data;
  const { podUsdPerHour, budgetUsd } = record.config;
  const held = verdicts.reduce((sum, { podSeconds }) => sum + podSeconds, 0);
  const trained = verdicts.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0);
  const { scored } = record.outcomes;
  return section(
    'Cost',
    podUsdPerHour === 0 ? 'Pods on one’s own machine cost nothing here.' : 'Pods are what costs money.',
    facts([
      ['pods were there', pods ? duration(pods.podSeconds) : '–'],
      ['pods were held by jobs', duration(held)],
      ['of that, training', duration(trained)],
      ['an hour of a pod', usd(podUsdPerHour)],
      ['the whole run', usd(record.costUsd)],
      ['for each scored episode', scored > 0 ? usd(record.costUsd / scored) : '–'],
      ['budget', budgetUsd === null ? 'none' : usd(budgetUsd)],
    ]),
  );
}
