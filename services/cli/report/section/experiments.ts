import type { ExperimentResult, Transcript } from '#protocol/transcript';
import { duration, share } from '../figures.ts';
import { html, type Part, shortened } from '../markup.ts';
import { table } from './parts.ts';

/** What the agent tried before it submitted, as it was told. */
export function experimentsOf(transcript: Transcript | undefined): Part {
  const told = transcript?.moves.flatMap(({ experiments }) => experiments) ?? [];
  if (told.length === 0) return null;
  const rows = told.toSorted((a, b) => a.experiment - b.experiment).map(rowOf);
  return html`<h4>Experiments</h4>${table(['experiment', 'probe score', 'training took', 'own reward', 'what was wrong'], rows)}`;
}

function rowOf(result: ExperimentResult): Part[] {
  const { experiment } = result;
  if (result.outcome === 'invalid') return [experiment, '–', '–', '–', result.findings.map(wrong)];
  const { curve, seconds } = result;
  const rewards = [curve.at(0), curve.at(-1)].map((step) => (step ? share(step.reward) : '–')).join(' → ');
  const [score, fault] = result.outcome === 'trained' ? [share(result.score), null] : ['–', wrong(result.failure)];
  return [experiment, score, duration(seconds), rewards, fault];
}

const wrong = ({ code, ...said }: { code: string; sentence: string } | { code: string; detail: string }): Part =>
  html`<p><code>${code}</code> ${shortened('sentence' in said ? said.sentence : said.detail, 1_000)}</p>`;
