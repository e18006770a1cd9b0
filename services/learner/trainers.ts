import type { RunConfig } from '#protocol/run';
import { catalogue } from './catalogue.ts';
import type { Trainer } from './trainer.ts';

/** Every trainer there is, a line each. */
export const trainers: Readonly<Record<RunConfig['trainer'], Trainer>> = {
  catalogue,
};
