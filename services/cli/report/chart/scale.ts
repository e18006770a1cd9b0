export type Scale = (value: number) => number;
export type Range = readonly [from: number, to: number];

/** A range of no width is drawn in its middle. */
export const linear =
  ([from, to]: Range, [start, end]: Range): Scale =>
  (value) =>
    to === from ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start);

const nice = [1, 2, 2.5, 5, 10];

/** Round numbers within a range, about so many. */
export function ticks([from, to]: Range, about: number): number[] {
  if (!(to > from)) return [from];
  const rough = (to - from) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (nice.find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, n) => Number(((first + n) * step).toPrecision(12)));
}

/** Whole ones only: of steps and versions there are no halves. */
export const wholeTicks = (range: Range, about: number): number[] => ticks(range, about).filter(Number.isInteger);

/** A round number at or above all of them, for the end of an axis that begins at 0. */
export function ceiling(values: readonly number[]): number {
  const top = values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, value) : most), 0);
  if (top === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(top));
  return Number(((nice.find((one) => one * power >= top) ?? 10) * power).toPrecision(12));
}

/** Places in a drawing, in tenths of a pixel. */
export const px = (value: number): number => (Number.isFinite(value) ? Math.round(value * 10) / 10 : 0);
