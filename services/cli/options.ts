import { UsedWrongly } from './say.ts';

/** Throws a sentence that quotes what is no such number. */
export function positive(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) throw new UsedWrongly(`${option} ${text}: a number above 0 is needed`);
  return number;
}

export interface Given {
  readonly steps?: string;
  readonly seed?: string;
}
/** Knobs of a run that were given by hand. */
export const givenOf = ({ steps, seed }: Given) => ({
  ...(steps === undefined ? {} : { steps: positive('--steps', steps) }),
  ...(seed === undefined ? {} : { seed: whole('--seed', seed) }),
});

function whole(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsedWrongly(`${option} ${text}: a whole number from 0 is needed`);
  return Number(text);
}
