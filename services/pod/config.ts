import { z } from 'zod';
import { commonKnobs } from '#kit/config';

export const knobs = {
  ...commonKnobs,
  /** The how-manieth process at its place this one is; whoever starts it counts. */
  generation: z.int().positive().default(1),
};
export type PodConfig = Pick<z.infer<z.ZodObject<typeof knobs>>, 'generation'>;
