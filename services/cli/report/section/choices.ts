import { stacks } from '../chart/bars.ts';
import { type ChoicePoint, choicesOf } from '../choices.ts';
import { percent } from '../figures.ts';
import { html, type Markup, shortened } from '../markup.ts';
import type { RunData } from '../run-data.ts';
import { figure, none, section } from './parts.ts';

const mostPoints = 12;

/** Numbers go from light to dark; what has no order has colours of its own; what is left over is grey. */
function colourOf({ options, ordered }: ChoicePoint, at: number): string {
  if (options[at]?.name === 'others' && at === options.length - 1 && at > 0) return 'rest';
  if (!ordered) return `c${at + 1}`;
  return `s${options.length === 1 ? 6 : 1 + Math.round((at * 5) / (options.length - 1))}`;
}

const versions = (from: number, to: number): string => (from === to ? `version ${from}` : `versions ${from} to ${to}`);

function chart(of: ChoicePoint): Markup {
  const { stretches, options } = of;
  return stacks(
    {
      width: 340,
      height: 190,
      says: 'Share of each option by version of the policy',
      x: {
        range: [-0.5, stretches.length - 0.5],
        label: 'version of the policy',
        whole: true,
        textOf: (tick) => String(stretches[tick]?.from ?? ''),
      },
      y: { range: [0, 1], label: 'share of the choices', textOf: percent },
    },
    stretches.map(({ from, to, choices, shares }, x) => ({
      x,
      shares: shares
        .map((share, at) => ({
          colour: colourOf(of, at),
          share,
          says: `${versions(from, to)}: ${nameOf(options[at]?.name ?? '')} ${percent(share)} of ${choices}`,
        }))
        .filter(({ share }) => share > 0),
    })),
  );
}

const nameOf = (name: string): string => (name === '' ? '(empty)' : shortened(name, 40).split('\n')[0]) ?? '';

const legend = (of: ChoicePoint): Markup =>
  html`<table class="legend"><tbody>${of.options
    .map(
      ({ name, first, last }, at) =>
        html`<tr><td><span class="swatch ${colourOf(of, at)}"></span>${nameOf(name)}</td><td class="num">${percent(first)} →</td><td class="num">${percent(last)}</td></tr>`,
    )
    .toReversed()}</tbody></table>`;

export function choices(data: RunData): Markup {
  const says =
    'What the agent chose in its training episodes, by the version of its policy. Beside each option: its share in the first and in the last quarter of the run. What changed most comes first.';
  const all = choicesOf(data).slice(0, mostPoints);
  if (all.length === 0) return section('Choices of the agent', says, none('No transcript tells of a choice.'));
  return section(
    'Choices of the agent',
    says,
    html`<div class="grid-of">${all.map((of) => figure(nameOf(of.point), [chart(of), legend(of)]))}</div>`,
  );
}
