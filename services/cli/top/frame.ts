import type { RunRecord } from '#protocol/run';
import { whyOf } from '../pods.ts';
import { bar, timeLeft } from '../progress.ts';
import { duration, orDash, percent, plural, share, usd } from '../report/figures.ts';
import type { Facts, Mishap } from './facts.ts';
import { bold, dim, green, type Line, red, render, text } from './line.ts';

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** Milliseconds since 1970; if it is long after the facts, nobody has answered since. */
  readonly now: number;
}

/** The facts as text: at most `rows` lines of at most `columns` characters. */
export function frame(facts: Facts, { columns, rows, colour, now }: Screen): string {
  const head = [...silence(now - facts.at), ...runLines(facts, columns), ...podLines(facts)];
  const room = Math.max(0, rows - head.length - mishapsAtLeast);
  const pods = fold(podRows(facts), room);
  const mishaps = mishapLines(facts, rows - head.length - pods.length);
  return [...head, ...pods, ...mishaps]
    .slice(0, Math.max(0, rows))
    .map((line) => render(line, columns, colour))
    .join('\n');
}

/** Lines reserved for what went wrong, however many pods there are. */
const mishapsAtLeast = 5;
const silentMs = 5_000;
const silence = (ms: number): Line[] =>
  ms > silentMs ? [[red(`no answer for ${duration(ms / 1000)}: this is out of date`)]] : [];
const label = (name: string) => dim(name.padEnd(10));

function runLines({ run, at }: Facts, columns: number): Line[] {
  const clock = dim(`  ${new Date(finite(at)).toISOString().slice(11, 19)} UTC`);
  if (!run)
    return [[bold('uplift top'), clock], [text('no run yet; "npm start" or "npx uplift train" begins one')], []];
  const { name, record } = run;
  const { config, steps, evaluations, outcomes, underWay } = record;
  const { scored, invalid, failed } = outcomes;
  const last = steps.at(-1);
  return [
    [bold(name), text('  '), stateOf(record), dim(`  for ${duration(ageOf(record, at))}`), clock],
    [],
    [label('step'), text(`${bar(steps.length / config.steps, 20)} ${steps.length} of ${config.steps}`), left(record)],
    [label('reward'), ...rewards(record, columns - 42)],
    [label('parts'), text(last ? partsOf(last) : 'no step yet')],
    [label('held out'), text(heldOut(evaluations))],
    [
      label('episodes'),
      text(`${scored} scored · ${invalid} invalid · `),
      failed > 0 ? red(`${failed} failed`) : text('0 failed'),
      text(` · ${underWay} of ${config.episodesAtOnce} under way`),
    ],
    [label('money'), text(moneyOf(record))],
  ];
}

const finite = (at: number): number => (Math.abs(at) < 8e15 ? at : 0);
const ageOf = ({ startedAt, endedAt }: RunRecord, at: number): number =>
  Math.max(0, ((endedAt ?? at) - startedAt) / 1000);

function stateOf({ phase, over, failure }: RunRecord) {
  if (over === 'failed') return red(`failed: ${failure?.code}: ${failure?.detail}`);
  if (phase === 'ended') return green(over ?? 'ended');
  return over ? text(`${phase}, then over (${over})`) : green(phase);
}

const left = (record: RunRecord) => {
  const told = timeLeft(record);
  return dim(told === '' ? '' : ` · ${told}`);
};

function rewards({ steps }: RunRecord, width: number): Line {
  const all = steps.map(({ reward }) => reward);
  if (all.length === 0) return [text('no step yet')];
  const figures = `  first ${share(all[0] ?? 0)}  last ${share(all.at(-1) ?? 0)}  best ${share(Math.max(...all))}`;
  return [text(sparkline(all, Math.max(1, width))), text(figures)];
}

/** One character for each value, 0 to 1; if there are more than fit, one for the mean of several. */
export function sparkline(values: readonly number[], width: number): string {
  const each = Math.ceil(values.length / width);
  const count = Math.ceil(values.length / each);
  return Array.from({ length: count }, (_, at) => {
    const some = values.slice(at * each, (at + 1) * each);
    const mean = some.reduce((sum, value) => sum + value, 0) / some.length;
    return '▁▂▃▄▅▆▇█'[Math.max(0, Math.min(7, Math.floor(mean * 8)))] ?? ' ';
  }).join('');
}

const partsOf = ({ validity, quality, uplift, speed, stalenessMax }: RunRecord['steps'][number]): string =>
  `validity ${share(validity)} · quality ${share(quality)} · uplift ${share(uplift)} · speed ${share(speed)} · off-policy ${stalenessMax}`;

function heldOut(evaluations: RunRecord['evaluations']): string {
  const told = evaluations.filter(({ episodes, failed, wanted }) => wanted > 0 && episodes + failed === wanted);
  const of = (name: 'reward' | 'uplift'): string => told.map((one) => share(one[name])).join(' → ');
  return told.length === 0 ? orDash(null) : `reward ${of('reward')} · uplift ${of('uplift')}`;
}

function moneyOf({ costUsd, config: { budgetUsd, podUsdPerHour } }: RunRecord): string {
  const budget = budgetUsd === null ? 'no budget' : `of ${usd(budgetUsd)}, ${percent(costUsd / budgetUsd)}`;
  return `${usd(costUsd)} ${budget} · ${usd(podUsdPerHour)} per pod hour`;
}

function podLines({ pods }: Facts): Line[] {
  if (!pods) return [[label('pods'), text('the pool has reported nothing yet')]];
  const useful = pods.podSeconds > 0 ? ` · ${percent(pods.usefulSeconds / pods.podSeconds)} useful` : '';
  return [[label('pods'), text(whyOf(pods)), dim(useful)]];
}

function podRows({ pods, at }: Facts): Line[] {
  return (pods?.pods ?? []).map(({ pod, phase, since, job, jobs, podSeconds, usefulSeconds }) => [
    text(`  ${pod.padEnd(4)} `),
    (phase === 'leased' ? green : phase === 'ready' ? text : dim)(phase.padEnd(12)),
    text(`${duration(Math.max(0, (at - since) / 1000)).padStart(10)}  ${plural(jobs, 'job').padStart(8)}`),
    text(`  ${percent(podSeconds > 0 ? usefulSeconds / podSeconds : 0).padStart(5)} useful  ${job ?? ''}`),
  ]);
}

/** As many lines as fit, and how many more there are. */
function fold(lines: Line[], room: number): Line[] {
  if (lines.length <= room) return lines;
  const shown = Math.max(0, room - 1);
  return room > 0 ? [...lines.slice(0, shown), [dim(`  … and ${lines.length - shown} more`)]] : [];
}

function mishapLines({ mishaps }: Facts, room: number): Line[] {
  if (mishaps.length === 0) return [[], [dim('nothing has gone wrong')]];
  return [[], [label('went wrong')], ...fold(mishaps.map(mishapLine), room - 2)];
}

const mishapLine = ({ at, what, code, detail }: Mishap): Line => [
  dim(`  ${new Date(finite(at)).toISOString().slice(11, 19)}  `),
  text(`${what}  `),
  red(code),
  text(`  ${detail}`),
];
