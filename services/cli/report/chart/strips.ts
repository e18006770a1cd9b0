import { html, type Markup } from '../markup.ts';
import { svg } from './frame.ts';
import { linear, px, ticks } from './scale.ts';

export interface Strip {
  readonly name: string;
  readonly text: string;
  /** Of each stretch of time, 0 to 1. */
  readonly shares: readonly { readonly share: number; readonly says: string }[];
}

interface Of {
  readonly width: number;
  readonly says: string;
  /** In the unit of the label. */
  readonly end: number;
  readonly label: string;
}

const rowHeight = 40;

/** A row for each name: how full each stretch of time was. */
export function strips({ width, says, end, label }: Of, all: readonly Strip[]): Markup {
  const narrow = width < 600;
  const [left, right] = [narrow ? 44 : 60, width - (narrow ? 4 : 150)];
  const x = linear([0, end], [left, right]);
  const bottom = all.length * rowHeight;
  const drawn = all.map(({ name, text, shares }, at) => {
    const base = (at + 1) * rowHeight - 6;
    const wide = (right - left) / Math.max(1, shares.length);
    const full = rowHeight - 12;
    return html`<text class="name" x="0" y="${base - 8}">${name}</text>${shares.map(({ share, says: told }, slot) => html`<g><rect class="slot" x="${px(left + slot * wide)}" y="${base - full}" width="${px(Math.max(0.5, wide - 1))}" height="${full}"/><rect class="bar" x="${px(left + slot * wide)}" y="${px(base - full * share)}" width="${px(Math.max(0.5, wide - 1))}" height="${px(full * share)}"/><title>${told}</title></g>`)}${narrow ? null : html`<text class="value" x="${width}" y="${base - 8}" text-anchor="end">${text}</text>`}`;
  });
  const times = ticks([0, end], narrow ? 3 : 8).map(
    (tick) => html`<text class="tick" x="${px(x(tick))}" y="${bottom + 14}" text-anchor="middle">${tick}</text>`,
  );
  const foot = html`<text class="label" x="${px(right)}" y="${bottom + 34}" text-anchor="end">${label}</text>`;
  return svg({ width, height: bottom + 40, says }, [drawn, times, foot]);
}
