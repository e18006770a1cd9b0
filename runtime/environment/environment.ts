import type { Limits } from './limits.ts';
import { startMs, takeThread } from './threads.ts';

/**
 * The environment of a job: what the model is asked, and what an answer is worth, by a script that nobody has read.
 * It runs in an interpreter without an outside (cell.ts), in a thread that is ended when it does not answer
 * (threads.ts). Everything that may go wrong with a script rejects with an EnvironmentFault, and ends nothing but the
 * environment.
 */
export interface Environment {
  /** `n` prompts; the same for the same seed. */
  prompts(seed: number, n: number): Promise<string[]>;
  /** What a completion is worth, 0 to 1. */
  reward(prompt: string, completion: string): Promise<number>;
  /** The same for many at once, under the limits of one call. */
  rewards(prompts: readonly string[], completions: readonly string[]): Promise<number[]>;
  dispose(): Promise<void>;
}

export async function loadEnvironment(source: string, limits: Limits): Promise<Environment> {
  const thread = await takeThread();
  let disposed: Promise<void> | undefined;
  const ask: typeof thread.ask = (question, milliseconds) => {
    if (disposed) return Promise.reject(new Error('the environment was disposed of'));
    return thread.ask(question, milliseconds);
  };
  const dispose = (): Promise<void> => {
    disposed ??= thread.leave();
    return disposed;
  };
  try {
    await ask({ ask: 'open', limits }, startMs);
    await ask({ ask: 'run', source }, limits.milliseconds);
  } catch (error) {
    await dispose();
    throw error;
  }
  const rewards: Environment['rewards'] = async (prompts, completions) =>
    (await ask({ ask: 'rewards', prompts, completions }, limits.milliseconds)).map(Number);
  return {
    prompts: async (seed, n) => (await ask({ ask: 'prompts', seed, n }, limits.milliseconds)).map(String),
    rewards,
    reward: async (prompt, completion) => Number((await rewards([prompt], [completion]))[0]),
    dispose,
  };
}
