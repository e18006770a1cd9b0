/** Numbers in a form for people. */
export const share = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '–');
export const orDash = (value: number | null): string => (value === null ? '–' : share(value));
export const percent = (value: number): string => `${Math.round(value * 100)} %`;
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US').replaceAll(',', '\u202f');
/** Amounts below a cent have two significant digits. */
export const usd = (value: number): string =>
  value > 0 && value < 0.01 ? `$${value.toPrecision(2)}` : `$${value.toFixed(2)}`;

export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}
