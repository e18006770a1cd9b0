import { html, type Markup } from '../markup.ts';
import { type Frame, frame } from './frame.ts';
import { px } from './scale.ts';

export interface Bar {
  readonly x: number;
  readonly y: number;
  readonly says: string;
}

/** One upright bar for each x, one unit of x wide; `bound` is a line that they should stay below. */
export const bars = (of: Frame, all: readonly Bar[], bound: number | null = null): Markup =>
  frame(of, ({ x, y, left, right, bottom }) => {
    const wide = Math.max(1, (x(1) - x(0)) * 0.7);
    return [
      all.map(
        (bar) =>
          html`<rect class="bar" x="${px(x(bar.x) - wide / 2)}" y="${px(y(bar.y))}" width="${px(wide)}" height="${px(Math.max(bar.y > 0 ? 1 : 0, bottom - y(bar.y)))}"><title>${bar.says}</title></rect>`,
      ),
      bound === null
        ? null
        : html`<line class="bound" x1="${left}" x2="${px(right)}" y1="${px(y(bound))}" y2="${px(y(bound))}"/>`,
    ];
  });

export interface Stack {
  readonly x: number;
  /** Shares from the bottom up, which sum to 1. */
  readonly shares: readonly { readonly colour: string; readonly share: number; readonly says: string }[];
}

/** Shares of a whole, side by side. */
export const stacks = (of: Frame, all: readonly Stack[]): Markup =>
  frame(of, ({ x, y }) => {
    const wide = Math.max(1, (x(1) - x(0)) * 0.86);
    return all.map((stack) => {
      let from = 0;
      return stack.shares.map(({ colour, share, says }) => {
        const [low, high] = [from, from + share];
        from = high;
        return html`<rect class="${colour} part" x="${px(x(stack.x) - wide / 2)}" y="${px(y(high))}" width="${px(wide)}" height="${px(y(low) - y(high))}"><title>${says}</title></rect>`;
      });
    });
  });
