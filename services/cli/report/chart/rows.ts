import { html, type Markup, type Part } from '../markup.ts';
import { svg } from './frame.ts';
import { linear, px, ticks } from './scale.ts';

export interface Row {
  readonly name: string;
  /** Empty and full mark; null: there is none. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
  readonly says: string;
  readonly colour: string;
}

interface Of {
  readonly width: number;
  readonly says: string;
  readonly label: string;
}

const rowHeight = 28;

/** A line for each name with its before and after, on one axis from 0 to 1. */
export function rows({ width, says, label }: Of, all: readonly Row[]): Markup {
  const narrow = width < 600;
  const [left, right] = [narrow ? 118 : 190, width - (narrow ? 14 : 120)];
  const x = linear([0, 1], [left, right]);
  const bottom = 8 + all.length * rowHeight;
  const grid = ticks([0, 1], narrow ? 2 : 5).map(
    (tick) =>
      html`<line class="grid" x1="${px(x(tick))}" x2="${px(x(tick))}" y1="0" y2="${bottom}"/><text class="tick" x="${px(x(tick))}" y="${bottom + 18}" text-anchor="middle">${tick}</text>`,
  );
  const drawn = all.map(
    (row, at) =>
      html`<g class="row ${row.colour}"><rect class="reach" x="0" y="${8 + at * rowHeight}" width="${width}" height="${rowHeight}"/>${drawRow(row, { x, y: 8 + (at + 0.5) * rowHeight, left })}${narrow ? null : html`<text class="value" x="${width}" y="${8 + (at + 0.5) * rowHeight + 4}" text-anchor="end">${row.text}</text>`}<title>${row.says}</title></g>`,
  );
  const foot = html`<text class="label" x="${px(right)}" y="${bottom + 38}" text-anchor="end">${label}</text>`;
  return svg({ width, height: bottom + 44, says }, [grid, drawn, foot]);
}

function drawRow(
  { name, before, after }: Row,
  { x, y, left }: { x: (value: number) => number; y: number; left: number },
): Part {
  return [
    html`<text class="name" x="${left - 12}" y="${y + 4}" text-anchor="end">${name}</text>`,
    before !== null && after !== null
      ? html`<line class="gain" x1="${px(x(before))}" x2="${px(x(after))}" y1="${y}" y2="${y}"/>`
      : null,
    before === null ? null : html`<circle class="before" cx="${px(x(before))}" cy="${y}" r="4.5"/>`,
    after === null ? null : html`<circle class="after" cx="${px(x(after))}" cy="${y}" r="5"/>`,
  ];
}
