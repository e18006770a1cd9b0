import { html, type Markup, type Part } from '../markup.ts';
import { linear, px, type Range, type Scale, ticks, wholeTicks } from './scale.ts';

interface Axis {
  readonly range: Range;
  /** With its unit. */
  readonly label: string;
  /** Of steps and versions there are no halves. */
  readonly whole?: boolean;
  readonly textOf?: (tick: number) => string;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** What the chart shows, in a sentence, for those who do not see it. */
  readonly says: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Room for labels at the right. */
  readonly right?: number;
}

export interface Plane {
  readonly x: Scale;
  readonly y: Scale;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const margin = { left: 40, top: 30, bottom: 40 };

/** Axes with their labels: that of y stands above it, where it can be read without turning the head. */
export function frame(of: Frame, draw: (plane: Plane) => Part): Markup {
  const { width, height, x, y } = of;
  const plane = planeOf(of);
  const { left, right, top, bottom } = plane;
  const rows = ticksOf(y, Math.max(2, Math.round((bottom - top) / 45)));
  const columns = ticksOf(x, Math.max(2, Math.round((right - left) / 70)));
  return svg(
    of,
    html`${rows.map((tick) => html`<line class="grid" x1="${left}" x2="${px(right)}" y1="${px(plane.y(tick))}" y2="${px(plane.y(tick))}"/><text class="tick" x="${left - 8}" y="${px(plane.y(tick) + 4)}" text-anchor="end">${tickText(y, tick)}</text>`)}${columns.map((tick) => html`<text class="tick" x="${px(plane.x(tick))}" y="${bottom + 18}" text-anchor="middle">${tickText(x, tick)}</text>`)}<line class="axis" x1="${left}" x2="${px(right)}" y1="${bottom}" y2="${bottom}"/><text class="label" x="0" y="12">${y.label}</text><text class="label" x="${px(right)}" y="${height - 4}" text-anchor="end">${x.label}</text>${draw(plane)}`,
    width,
  );
}

function planeOf({ width, height, x, y, right: room = 12 }: Frame): Plane {
  const [left, right, top, bottom] = [margin.left, width - room, margin.top, height - margin.bottom];
  return { x: linear(x.range, [left, right]), y: linear(y.range, [bottom, top]), left, right, top, bottom };
}

const ticksOf = ({ range, whole }: Axis, about: number): number[] => (whole ? wholeTicks : ticks)(range, about);
const tickText = ({ textOf = String }: Axis, tick: number): string => textOf(tick);

/** Named for readers of screens; the size is that of the drawing, and the page may make it smaller. */
export const svg = (of: Pick<Frame, 'width' | 'height' | 'says'>, content: Part, width = of.width): Markup =>
  html`<svg viewBox="0 0 ${width} ${of.height}" width="${width}" height="${of.height}" role="img" aria-label="${of.says}">${content}</svg>`;

/** The same drawing for wide and for narrow pages, since a small picture of a wide one cannot be read. */
export const responsive = (draw: (width: number) => Markup, wide = 1040): Markup =>
  html`<div class="wide">${draw(wide)}</div><div class="narrow">${draw(360)}</div>`;
