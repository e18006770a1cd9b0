import type { Reading } from './reading.ts';

/** Bodies of reward functions of `wanted`, the right answer, and `completion`; some are mistakes that agents make. */
export const rewards = {
  exact: 'return completion === wanted ? 1 : 0;',
  start: `let right = 0;
  while (right < wanted.length && completion[right] === wanted[right]) right += 1;
  return right / Math.max(1, wanted.length, completion.length);`,
  letters: `let right = 0;
  for (let at = 0; at < wanted.length; at += 1) if (completion[at] === wanted[at]) right += 1;
  return right / Math.max(1, wanted.length, completion.length);`,
  both: `let right = 0;
  while (right < wanted.length && completion[right] === wanted[right]) right += 1;
  return completion === wanted ? 1 : (0.5 * right) / Math.max(1, wanted.length, completion.length);`,
  // mistakes: something other than the skill is rewarded
  length: 'return completion.length === wanted.length ? 1 : 0;',
  constant: 'return 1;',
  looks: 'return /^[a-z]+$/.test(completion) ? 1 : 0;',
  // mistakes: this is not a valid reward
  points: `let points = 0;
  for (let at = 0; at < wanted.length; at += 1) if (completion[at] === wanted[at]) points += 1;
  return completion === wanted ? 10 : points;`,
  random: 'return completion === wanted ? 1 : 0.2 * Math.random();',
} as const satisfies Record<string, string>;

/** Bodies of functions that make one word with `rng`; some are mistakes that agents make. */
export const prompts = {
  told: ({ letters, shortest, longest }: Reading) => wordOf(letters, shortest, longest),
  short: () => wordOf('abcdefghijklmnopqrstuvwxyz', 3, 4),
  // mistakes: the base models do not know such prompts, or cannot read them
  digits: () => wordOf('0123456789', 3, 5),
  capitals: () => wordOf('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 3, 5),
  long: () => wordOf('abcdefghijklmnopqrstuvwxyz', 60, 70),
  same: () => "return 'abc';",
} as const satisfies Record<string, (reading: Reading) => string>;

const wordOf = (letters: string, shortest: number, longest: number): string => `const letters = '${letters}';
  const length = ${shortest} + Math.floor(rng() * ${longest - shortest + 1});
  return Array.from({ length }, () => letters[Math.floor(rng() * letters.length)]).join('');`;
