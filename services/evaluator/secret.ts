import { createHmac } from 'node:crypto';

/**
 * The secret of this installation, given once when the process starts and stored nowhere else. `hidden` items make the
 * reward, `probe` items the scores of experiments; neither says anything about the other.
 */
let secret: string | undefined;

export const keepSecret = (hiddenSeed: string): void => {
  secret = hiddenSeed;
};

const derived = (purpose: string): string => {
  if (secret === undefined) throw new Error('the evaluator has no hidden seed: set UPLIFT_EVALUATOR_HIDDEN_SEED');
  return createHmac('sha256', secret).update(purpose).digest('hex');
};

export const seedOf = (split: 'probe' | 'hidden'): string => derived(`items: ${split}`);

/** Distinguishes one secret from another, and reveals nothing of it. */
export const secretId = (): string => derived('name').slice(0, 16);
