import { type FailureCode, failureCodes } from '#protocol/failure';
import { type FindingCode, findingCodes } from '#protocol/finding';
import { percent, plural, whole } from '../figures.ts';
import { html, type Markup, type Part } from '../markup.ts';
import { grouped, type RunData } from '../run-data.ts';
import { none, section, table } from './parts.ts';

const kinds = ['scored', 'invalid', 'failed'] as const;

const counted = <C extends string>(codes: readonly C[]): [C, number][] =>
  [...grouped(codes, (code) => code)].map(([code, all]): [C, number] => [code, all.length]).sort((a, b) => b[1] - a[1]);

/** Those that an episode met on its way, and of its end those that nobody was told of. */
const findingsOf = ({ verdicts, transcripts }: RunData): FindingCode[] =>
  verdicts.flatMap(({ episode, findings }) => {
    const met = transcripts[episode]?.moves.flatMap((move) => move.findings ?? []) ?? [];
    const known = new Set(met.map(({ code, sentence }) => `${code} ${sentence}`));
    const late = findings.filter(({ code, sentence }) => !known.has(`${code} ${sentence}`));
    return [...met, ...late].map(({ code }) => code);
  });

/** Nobody can do better than chance there: whoever does has got round something. */
function impossibleOnes({ verdicts }: RunData): Part {
  const tried = verdicts.filter(({ use, outcome }) => use === 'impossible' && outcome === 'scored');
  if (tried.length === 0) return null;
  const proofs = tried.filter(({ findings }) => findings.some(({ code }) => code === 'score/impossible'));
  return html`<p class="note">${plural(tried.length, 'scored episode')} on impossible families, ${proofs.length === 0 ? 'none' : whole(proofs.length)} of them better than chance allows.</p>`;
}

export function outcomes(data: RunData): Markup {
  const { record, verdicts } = data;
  const total = kinds.reduce((sum, kind) => sum + record.outcomes[kind], 0);
  const findings = counted(findingsOf(data));
  const failures = counted(verdicts.flatMap(({ failure }): FailureCode[] => (failure ? [failure.code] : [])));
  return section(
    'Outcomes and findings',
    'An episode ends once: scored; invalid, when no job of it was fit to be run; or failed, which says nothing about the agent and is never learned from.',
    [
      total === 0
        ? none('No episode has ended.')
        : html`<div class="share-bar">${kinds.map((kind) => shareOf(kind, record.outcomes[kind], total))}</div>`,
      impossibleOnes(data),
      html`<h3>Findings: what was wrong with jobs</h3>`,
      findings.length === 0
        ? none('None.')
        : table(
            ['finding', 'means', 'times'],
            findings.map(([code, times]) => [html`<code>${code}</code>`, findingCodes[code], whole(times)]),
          ),
      html`<h3>Failures: what went wrong around them</h3>`,
      failures.length === 0
        ? none('None.')
        : table(
            ['failure', 'means', 'episodes'],
            failures.map(([code, times]) => [html`<code>${code}</code>`, failureCodes[code].says, whole(times)]),
          ),
    ],
  );
}

/** Widths are of a drawing, because the page allows no styles beside its own sheet. */
const shareOf = (kind: string, count: number, total: number): Markup =>
  html`<div class="${kind}"><svg viewBox="0 0 100 6" width="100" height="6" preserveAspectRatio="none" role="img" aria-label="${kind}: ${percent(count / total)}"><rect class="slot" width="100" height="6"/><rect class="fill" width="${Math.round((count / total) * 1000) / 10}" height="6"/></svg><p><strong>${whole(count)}</strong> ${kind}, ${percent(count / total)}</p></div>`;
