import type { Choice, Move, ToolCall, Transcript } from '#protocol/transcript';
import { percent, plural } from '../figures.ts';
import { html, type Markup, type Part, shortened } from '../markup.ts';
import { table } from './parts.ts';

const mostMoves = 40;
const mostOfText = 3_000;

/** What the agent did, in its order. */
export function movesOf(transcript: Transcript | undefined): Part {
  if (!transcript || transcript.moves.length === 0) return html`<p class="none">No move of it can be read.</p>`;
  const { moves } = transcript;
  const left = moves.length - mostMoves;
  return html`<details class="file"><summary>${plural(moves.length, 'move')} of the agent</summary><ol class="moves">${moves.slice(0, mostMoves).map(moveOf)}</ol>${left > 0 ? html`<p class="note">and ${plural(left, 'move')} more</p>` : null}</details>`;
}

const moveOf = ({ text, choices, calls, findings, experiments }: Move): Markup =>
  html`<li>${findings === null ? null : toldOf(findings)}${experiments.length === 0 ? null : html`<p class="note">It was told of ${plural(experiments.length, 'experiment')}.</p>`}${text === '' ? null : html`<p class="told">${shortened(text, mostOfText)}</p>`}${choices.length === 0 ? null : choiceTable(choices)}${calls.map(callOf)}</li>`;

const toldOf = (findings: NonNullable<Move['findings']>): Markup =>
  findings.length === 0
    ? html`<p class="note">It was told that there is no finding.</p>`
    : html`<ul class="findings">${findings.map(({ code, sentence }) => html`<li><code>${code}</code> ${shortened(sentence, 1_000)}</li>`)}</ul>`;

const choiceTable = (choices: readonly Choice[]): Markup =>
  table(
    ['choice', 'chosen', 'among', 'probability'],
    choices.map(({ point, options, chosen, logprob }) => [
      shortened(point, 80),
      shortened(options[chosen]?.name ?? '', 200),
      options.length,
      percent(Math.exp(logprob)),
    ]),
  );

const callOf = ({ tool, input, result }: ToolCall): Markup =>
  html`<details class="call"><summary><code>${tool}</code> <span class="note">${shortened(Object.keys(input).length === 0 ? '' : (input.path ?? input.file ?? Object.keys(input).join(', ')), 80)}</span></summary>${Object.entries(input).map(([name, value]) => entry(name, value))}${result === null ? html`<p class="note">No answer is known.</p>` : entry('answer', result)}</details>`;

const short = 100;

/** A short text in the line of its name, a long one below it. */
const entry = (name: string, text: string): Markup =>
  text.length <= short && !text.includes('\n')
    ? html`<p class="entry"><span class="note">${shortened(name, 80)}</span> <code>${text}</code></p>`
    : html`<p class="note">${shortened(name, 80)}</p><pre>${shortened(text, mostOfText)}</pre>`;
