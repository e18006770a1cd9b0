import { UsedWrongly } from './say.ts';

type Example = readonly [command: string, does: string];

/** What the help of every command ends with: what to type, and what that does. */
export function examples(...all: readonly Example[]): string {
  const width = Math.max(...all.map(([command]) => command.length));
  return ['', 'Examples:', ...all.map(([command, does]) => `  ${command.padEnd(width)}  ${does}`)].join('\n');
}

/** A finite number above 0; else throws `UsedWrongly`, which quotes what was given. */
export function positive(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) throw new UsedWrongly(`${option} ${text}: a number above 0 is needed`);
  return number;
}

export interface Given {
  readonly steps?: string;
  readonly seed?: string;
}
/** Knobs of a run that were given on the command line. */
export const givenOf = ({ steps, seed }: Given) => ({
  ...(steps === undefined ? {} : { steps: positive('--steps', steps) }),
  ...(seed === undefined ? {} : { seed: whole('--seed', seed) }),
});

function whole(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsedWrongly(`${option} ${text}: a whole number of 0 or more is needed`);
  return Number(text);
}
