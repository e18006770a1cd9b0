import type { Finding } from '#protocol/finding';
import type { Environment } from './environment.ts';
import { EnvironmentFault, fault } from './fault.ts';

/**
 * The third stage of validation. Two copies of one environment are asked the same things, the second in another order:
 * what depends on earlier calls differs between them.
 */
export async function dryRun(copies: readonly [Environment, Environment], count: number): Promise<Finding[]> {
  try {
    const prompts = await samePrompts(copies, count);
    await sameRewards(copies, prompts);
    return [];
  } catch (error) {
    if (error instanceof EnvironmentFault) return [error.finding];
    throw error;
  }
}

async function samePrompts([one, other]: readonly [Environment, Environment], count: number): Promise<string[]> {
  const first = await one.prompts(1, count);
  const again = await one.prompts(1, count);
  await other.prompts(2, count);
  const there = await other.prompts(1, count);
  for (const [at, prompt] of first.entries())
    for (const second of [again[at], there[at]])
      if (second !== prompt)
        throw fault(
          'environment/prompts-not-repeatable',
          `prompt ${at} of seed 1 was "${prompt}" and then "${second}": use rng for all chance, and keep nothing between calls`,
        );
  return first;
}

/** Of several kinds, so that most branches of a reward are taken. */
const completionsOf = (prompt: string): string[] => ['', prompt, prompt.slice(0, -1).toUpperCase(), 'a', '0 {}"\\'];

async function sameRewards([one, other]: readonly [Environment, Environment], prompts: string[]): Promise<void> {
  const pairs = prompts.flatMap((prompt) => completionsOf(prompt).map((completion) => [prompt, completion] as const));
  const rewards = (copy: Environment, asked: typeof pairs): Promise<number[]> =>
    copy.rewards(
      asked.map(([prompt]) => prompt),
      asked.map(([, completion]) => completion),
    );
  const first = await rewards(one, pairs);
  const again = await rewards(one, pairs);
  const there = (await rewards(other, pairs.toReversed())).toReversed();
  for (const [at, [prompt, completion]] of pairs.entries())
    for (const second of [again[at], there[at]])
      if (second !== first[at])
        throw fault(
          'environment/reward-not-repeatable',
          `reward("${prompt}", ${JSON.stringify(completion)}) was ${first[at]} and then ${second}: ` +
            'let it depend on its two arguments alone',
        );
}
