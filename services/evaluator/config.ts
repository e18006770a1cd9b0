import { z } from 'zod';
import { commonKnobs } from '#kit/config';

export const knobs = {
  ...commonKnobs,
  /**
   * The secret seed of the hidden items. Whoever knows it can compute every answer; changing it invalidates every
   * pinned baseline. The launcher makes one and gives it to the evaluator alone.
   */
  hiddenSeed: z.string().min(16, 'a secret of 16 characters or more is needed'),
};
