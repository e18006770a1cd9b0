import { createHmac } from 'node:crypto';

/**
 * The secret of this installation, told once when the process starts and kept nowhere else. `probe` items are measured on
 * now and then, `hidden` ones make the reward, `sealed` ones are for a release: three streams, none of which says
 * anything about the others.
 */
let secret: string | undefined;

export const keepSecret = (hiddenSeed: string): void => {
  secret = hiddenSeed;
};

const derived = (purpose: string): string => {
  if (secret === undefined) throw new Error('the evaluator has no hidden seed: set UPLIFT_EVALUATOR_HIDDEN_SEED');
  return createHmac('sha256', secret).update(purpose).digest('hex');
};

export const seedOf = (split: 'probe' | 'hidden' | 'sealed'): string => derived(`items: ${split}`);

/** Tells one secret from another, and nothing else of it. */
export const secretId = (): string => derived('name').slice(0, 16);
