import { z } from 'zod';
import { commonKnobs } from '#kit/config';

export const knobs = {
  ...commonKnobs,
  /**
   * What hidden items are drawn from. Whoever knows it knows every answer; another one makes every pinned baseline
   * obsolete. The launcher makes one and tells it to nobody else.
   */
  hiddenSeed: z.string().min(16, 'a secret of 16 characters or more is needed'),
};
