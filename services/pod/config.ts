import { z } from 'zod';
import { commonKnobs } from '#kit/config';

export const knobs = {
  ...commonKnobs,
  /** Counts the processes at this place, from 1; set by whoever starts it. */
  generation: z.int().positive().default(1),
};
export type PodConfig = Pick<z.infer<z.ZodObject<typeof knobs>>, 'generation'>;
