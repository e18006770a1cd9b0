import { html, type Markup } from '../markup.ts';
import { type Frame, frame } from './frame.ts';
import { px } from './scale.ts';

export interface Mark {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
  readonly text: string;
  readonly says: string;
}

/** Estimates with their intervals, joined by a thin line in their order. */
export const ranges = (of: Frame, all: readonly Mark[]): Markup =>
  frame(of, ({ x, y }) => [
    html`<path class="line faint" d="${all.map((mark, at) => `${at === 0 ? 'M' : 'L'}${px(x(mark.x))} ${px(y(mark.y))}`).join('')}"/>`,
    all.map((mark, index) => {
      const rises = (all[index + 1]?.y ?? 0) >= mark.y;
      const at = px(x(mark.x));
      return html`<g class="range"><line class="whisker" x1="${at}" x2="${at}" y1="${px(y(mark.low))}" y2="${px(y(mark.high))}"/><circle cx="${at}" cy="${px(y(mark.y))}" r="5"/><text class="value" x="${at + 10}" y="${px(y(mark.y) + (index === all.length - 1 ? 4 : rises ? 20 : -12))}">${mark.text}</text><rect class="reach" x="${at - 12}" y="${px(y(mark.high))}" width="24" height="${px(y(mark.low) - y(mark.high))}"/><title>${mark.says}</title></g>`;
    }),
  ]);
