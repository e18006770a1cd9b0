import type { Trainer } from './trainer.ts';

/** Learns nothing: for runs that only measure. Its policy has no bytes, which is a mind as it is. */
export const none: Trainer = {
  open: async () => new Uint8Array(),
  update: async (policy) => ({ policy, ratio: 1, clipped: 0, entropy: 0, gradientNorm: 0, loss: 0, kl: 0 }),
};
