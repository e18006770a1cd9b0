import type { RunConfig } from '#protocol/run';
import { catalogue } from './catalogue.ts';
import { none } from './none.ts';
import type { Trainer } from './trainer.ts';

/** All trainers, one line each. */
export const trainers: Readonly<Record<RunConfig['trainer'], Trainer>> = {
  catalogue,
  none,
};
