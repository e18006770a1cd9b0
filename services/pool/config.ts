import { z } from 'zod';
import { commonKnobs } from '#kit/config';

export const knobs = {
  ...commonKnobs,
  /** What creates pods; `provider/registry.ts` lists the providers. */
  provider: z.enum(['local']).default('local'),
  /** The URL of the provider's API; the launcher sets it to its own. */
  providerUrl: z.url().optional(),
  /** The bearer token of that API. */
  providerToken: z.string().optional(),
};
export type PoolConfig = Pick<z.infer<z.ZodObject<typeof knobs>>, 'provider' | 'providerUrl' | 'providerToken'>;
