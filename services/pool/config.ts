import { z } from 'zod';
import { commonKnobs } from '#kit/config';

export const knobs = {
  ...commonKnobs,
  /** Who makes pods; `provider/registry.ts` lists them. */
  provider: z.enum(['local']).default('local'),
  /** Where the provider's API is; the launcher of a laptop has one of its own and says so. */
  providerUrl: z.url().optional(),
  /** The bearer token of that API. */
  providerToken: z.string().optional(),
};
export type PoolConfig = Pick<z.infer<z.ZodObject<typeof knobs>>, 'provider' | 'providerUrl' | 'providerToken'>;
