import type { Finding } from '#protocol/finding';
import { type Cell, openCell } from '../../runtime/environment/cell.ts';
import { EnvironmentFault } from '../../runtime/environment/fault.ts';
import { defaultLimits } from '../../runtime/environment/limits.ts';

/** Small, so that the tests of endless things end soon; time is left to fuel, since machines may be busy. */
export const limits = { ...defaultLimits, fuel: 60, memoryBytes: 24 * 2 ** 20, milliseconds: 30_000 };

export const makePrompts = `function prompts(rng, n) {
  const all = [];
  for (let i = 0; i < n; i += 1) {
    let word = '';
    for (let j = 0; j < 4; j += 1) word += 'abcdefgh'[Math.floor(rng() * 8)];
    all.push(word + '>');
  }
  return all;
}`;
export const makeReward = `function reward(prompt, completion) {
  const word = prompt.slice(0, -1);
  return completion === word.split('').reverse().join('') ? 1 : completion.length === word.length ? 0.25 : 0;
}`;
export const good = `${makePrompts}\n${makeReward}`;

export async function run(source: string): Promise<Cell> {
  const cell = await openCell(limits);
  cell.run(source);
  return cell;
}

/** Loads a script, asks it everything, and says what was found; undefined when nothing was. */
export async function findingOf(source: string): Promise<Finding | undefined> {
  try {
    const cell = await run(source);
    cell.rewards(cell.prompts(1, 3), ['', 'a', 'dcba']);
    return undefined;
  } catch (error) {
    if (error instanceof EnvironmentFault) return error.finding;
    throw error;
  }
}

export const withReward = (body: string): string => `${makePrompts}\nfunction reward(prompt, completion) { ${body} }`;
export const withPrompts = (body: string): string => `${makeReward}\nfunction prompts(rng, n) { ${body} }`;
