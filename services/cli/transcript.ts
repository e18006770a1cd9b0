import type { Finding } from '#protocol/finding';
import type { ExperimentResult, Move, ToolCall } from '#protocol/transcript';
import type { Verdict } from '#protocol/verdict';
import { duration, orDash, plural, share, usd, whole } from './report/figures.ts';
import { bold, dim, green, red } from './say.ts';
import { sparkline } from './top/frame.ts';

/** How much of a text is shown: some lines of it, or all. */
export interface Extent {
  readonly full: boolean;
}
const mostLines = 12;
const curveWidth = 30;

/** What a mind was told, said and did in a move, as lines for people. */
export function moveLines(move: Move, number: number, extent: Extent): string[] {
  const { text, thinking, calls, findings, experiments } = move;
  return [
    bold(`── move ${number} ${'─'.repeat(8)}`) + dim(usedBy(move)),
    ...(findings === null ? [] : findingLines(findings)),
    ...experiments.flatMap(experimentLines),
    ...shown(thinking, extent).map((line) => dim(`  ${line}`)),
    ...shown(text, extent),
    ...calls.flatMap((call) => callLines(call, extent)),
  ];
}

function usedBy({ model, usage: { promptTokens, completionTokens, usd: cost } }: Move): string {
  if (model === null) return '';
  const tokens = `${whole(promptTokens)} + ${whole(completionTokens)} tokens`;
  return ` ${[model, tokens, cost > 0 ? usd(cost) : ''].filter(Boolean).join(' · ')}`;
}

function callLines({ tool, input, result }: ToolCall, extent: Extent): string[] {
  const { text, new: changed, old, ...short } = input;
  const named = Object.entries(short).map(([name, value]) => `${name}=${value}`);
  const long = Object.entries({ old, new: changed, text }).flatMap(([name, value]) =>
    value === undefined ? [] : [dim(`    ${name}:`), ...shown(value, extent).map((line) => `    ${line}`)],
  );
  const answer = result === null ? [] : shown(result, extent).map((line) => dim(`  ← ${line}`));
  return [`${green('›')} ${[bold(tool), ...named].join(' ')}`, ...long, ...answer];
}

function shown(text: string, { full }: Extent): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (full || lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines), dim(`… ${plural(lines.length - mostLines, 'line')} more (--full shows all)`)];
}

const findingLines = (findings: readonly Finding[]): string[] =>
  findings.length === 0
    ? [green('  ✓ nothing is wrong with it')]
    : findings.map(
        ({ code, file, line, sentence }) =>
          `  ${red('✗')} ${bold(code)} ${file}${line === null ? '' : `:${line}`}: ${sentence}`,
      );

function experimentLines(result: ExperimentResult): string[] {
  const name = `  experiment ${result.experiment}`;
  if (result.outcome === 'invalid') return [`${name}: ${red('invalid')}`, ...findingLines(result.findings)];
  const curve = `${curveOf(result.curve)}  ${duration(result.seconds)}`;
  if (result.outcome === 'failed') return [`${name}: ${red(result.failure.code)} ${result.failure.detail}  ${curve}`];
  return [`${name}: ${bold(share(result.score))} of ${plural(result.items, 'probe item')}  ${curve}`];
}

const curveOf = (curve: readonly { readonly reward: number }[]): string => {
  const rewards = curve.map(({ reward }) => reward);
  if (rewards.length === 0) return 'no step was taken';
  return `reward ${sparkline(rewards, curveWidth)} ${share(rewards[0] ?? 0)} → ${share(rewards.at(-1) ?? 0)}`;
};

/** How an episode ended: its findings or its failure, the training, the reward and what it is made of. */
export function endingLines(ended: Verdict): string[] {
  const { outcome, reward, parts, failure, fault, findings, curve, seconds, jobs, podSeconds } = ended;
  const head = outcome === 'scored' ? green(bold('scored')) : red(bold(outcome));
  const training = seconds === null ? [] : [`training   ${curveOf(curve)} in ${duration(seconds)}`];
  const score =
    parts && parts.items > 0
      ? [
          `score      ${share(parts.before)} → ${bold(share(parts.after))} on ${plural(parts.items, 'hidden item')}; uplift ${share(parts.uplift)} ${dim(`[${share(parts.low)}, ${share(parts.high)}]`)}`,
          `parts      validity ${share(parts.validity)} · quality ${share(parts.quality)} · speed ${share(parts.speed)}`,
        ]
      : [];
  return [
    `${head}     reward ${bold(orDash(reward))}`,
    ...[failure, fault].flatMap((wrong) => (wrong ? [`           ${red(wrong.code)}: ${wrong.detail}`] : [])),
    ...findingLines(findings).filter(() => findings.length > 0),
    ...training,
    ...score,
    `cost       ${plural(jobs, 'training')}, ${duration(podSeconds)} on pods`,
  ];
}
