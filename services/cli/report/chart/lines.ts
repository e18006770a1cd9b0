import { html, type Markup, type Part } from '../markup.ts';
import { type Frame, frame, type Plane } from './frame.ts';
import { px } from './scale.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
  /** What is known of it, shown where the pointer rests. */
  readonly says: string;
}

export interface Series {
  /** A class of the style sheet: which colour. */
  readonly colour: string;
  readonly points: readonly Point[];
  /** Behind the others, thin and grey. */
  readonly faint?: boolean;
  /** Written at the end of the line. */
  readonly name?: string;
}

const pathOf = (points: readonly Point[], { x, y }: Plane): string =>
  points.map((point, at) => `${at === 0 ? 'M' : 'L'}${px(x(point.x))} ${px(y(point.y))}`).join('');

function drawSeries({ colour, points, faint = false, name }: Series, plane: Plane): Part {
  const line = html`<path class="line ${faint ? 'faint' : colour}" d="${pathOf(points, plane)}"/>`;
  if (faint) return line;
  const last = points.at(-1);
  const label =
    name && last
      ? html`<text class="end ${colour}" x="${px(plane.x(last.x) + 8)}" y="${px(plane.y(last.y) + 4)}">${name}</text>`
      : null;
  return [line, points.length > 120 ? null : points.map((point) => dot(point, colour, plane)), label];
}

/** The ring around it is wide enough for a pointer. */
const dot = ({ x, y, says }: Point, colour: string, plane: Plane): Markup =>
  html`<g class="dot ${colour}"><circle class="reach" cx="${px(plane.x(x))}" cy="${px(plane.y(y))}" r="8"/><circle cx="${px(plane.x(x))}" cy="${px(plane.y(y))}" r="2.5"/><title>${says}</title></g>`;

export const lines = (of: Frame, all: readonly Series[]): Markup =>
  frame(of, (plane) => all.map((series) => drawSeries(series, plane)));

/** Centred means over so many neighbours, fewer at the ends: what is left when chance is taken out. */
export function smooth(points: readonly Point[], over: number): Point[] {
  const half = Math.floor(over / 2);
  return points.map((point, at) => {
    const reach = Math.min(half, at, points.length - 1 - at);
    const near = points.slice(at - reach, at + reach + 1);
    return { ...point, y: near.reduce((sum, { y }) => sum + y, 0) / near.length };
  });
}
