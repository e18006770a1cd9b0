import type { Failure } from '#protocol/failure';
import type { Finding } from '#protocol/finding';
import type { Verdict } from '#protocol/verdict';
import { lines } from '../chart/lines.ts';
import { ceiling } from '../chart/scale.ts';
import { duration, orDash, plural, share } from '../figures.ts';
import { html, type Markup, type Part, shortened } from '../markup.ts';
import type { RunData } from '../run-data.ts';
import { type Pick, worthReading } from '../worth-reading.ts';
import { experimentsOf } from './experiments.ts';
import { movesOf } from './moves.ts';
import { facts, figure, none, section } from './parts.ts';

/** Of a file, characters. */
const mostOfFile = 12_000;

export function episodes(data: RunData): Markup {
  const picks = worthReading(data.verdicts);
  return section(
    'Episodes worth reading',
    'The agent’s work as it was: the task it was set, what it wrote, what it was told, and how its model learned.',
    picks.length === 0 ? none('No episode has ended.') : picks.map((pick, at) => episodeOf(data, pick, at === 0)),
  );
}

function episodeOf(data: RunData, { why, verdict }: Pick, open: boolean): Markup {
  const { family, outcome, reward, parts, episode, policy } = verdict;
  const scores = parts && outcome === 'scored' ? `${share(parts.before)} → ${share(parts.after)}` : '';
  return html`<details class="episode" ${open ? html`open` : null}><summary><span class="why">${why}</span><span class="family">${family}</span><span class="outcome ${outcome}">${outcome}</span><span class="num">${scores}</span><span class="num reward">${orDash(reward)}</span></summary>
<blockquote>${shortened(verdict.text, 2_000)}</blockquote>
<p class="note">Episode ${episode} of group ${verdict.group}, played with version ${policy} of the policy${verdict.purpose === 'evaluation' ? ', as an evaluation' : ''}.</p>
${[verdict.failure, verdict.fault].map(failureOf)}
<div class="pair">${measured(verdict)}${curves(verdict)}</div>
${findingsList('What was wrong with it', verdict.findings)}
${experimentsOf(data.transcripts[episode])}
${files(data.workspaces[episode])}
${movesOf(data.transcripts[episode])}
</details>`;
}

const failureOf = (failure: Failure | null): Part =>
  failure && html`<p class="finding"><code>${failure.code}</code> ${shortened(failure.detail, 1_000)}</p>`;

type Fact = readonly [name: string, what: Part];

function measured(verdict: Verdict): Part {
  const { parts, seconds, pod, baseModel, invalid, jobs } = verdict;
  const ran: Fact[] = [
    ['base model', baseModel ?? '–'],
    ['pod', pod ?? '–'],
    ['jobs', jobs],
    ['training took', seconds === null ? '–' : duration(seconds)],
    ['invalid submissions', invalid],
  ];
  if (!parts) return facts(ran);
  const worth: Fact[] = [
    ['reward', orDash(verdict.reward)],
    ['validity', share(parts.validity)],
    ['quality', share(parts.quality)],
    ['speed', share(parts.speed)],
    ['hidden score before', share(parts.before)],
    ['hidden score after', share(parts.after)],
    ['uplift', share(parts.uplift)],
    ['its 90 % interval', `${share(parts.low)}–${share(parts.high)}`],
    ['hidden items', parts.items],
  ];
  return facts([...worth, ...ran]);
}

function curves({ curve }: Verdict): Part {
  if (curve.length === 0) return none('Nothing was trained.');
  const series = (of: 'reward' | 'entropy', colour: string) => [
    {
      colour,
      points: curve.map((one) => ({ x: one.step, y: one[of], says: `step ${one.step}: ${of} ${one[of].toFixed(3)}` })),
    },
  ];
  const x = {
    range: [curve[0]?.step ?? 0, curve.at(-1)?.step ?? 1] as const,
    label: 'step of the training',
    whole: true,
  };
  const chart = (of: 'reward' | 'entropy', label: string, colour: string): Markup =>
    lines(
      {
        width: 340,
        height: 180,
        says: `${label} of each step of the training`,
        x,
        y: { range: [0, of === 'reward' ? 1 : ceiling(curve.map((one) => one[of]))], label },
      },
      series(of, colour),
    );
  return html`<div>${figure('Training', [
    chart('reward', 'mean reward by the job’s own function', 'c1'),
    chart('entropy', 'entropy, nats per token', 'c2'),
  ])}</div>`;
}

function findingsList(title: string, findings: readonly Finding[]): Part {
  if (findings.length === 0) return null;
  return html`<h4>${title}</h4><ul class="findings">${findings.map(({ code, file, line, sentence }) => html`<li><code>${code}</code> ${shortened(file, 80)}${line === null ? null : html`, line ${line}`}: ${shortened(sentence, 1_000)}</li>`)}</ul>`;
}

function files(workspace: RunData['workspaces'][string] | undefined): Part {
  const all = Object.entries(workspace ?? {});
  if (all.length === 0) return html`<p class="none">No file of it can be read.</p>`;
  return html`<h4>${plural(all.length, 'file')}</h4>${all.map(([name, text]) => html`<details class="file"><summary><code>${shortened(name, 80)}</code> <span class="note">${plural(text.split('\n').length, 'line')}</span></summary><pre>${shortened(text, mostOfFile)}</pre></details>`)}`;
}
