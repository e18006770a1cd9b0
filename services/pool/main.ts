import { runWith } from '#kit/run';
import { pool } from './actor.ts';
import { knobs } from './config.ts';
import { supplyFrom } from './supply.ts';

await runWith('pool', knobs, (config) => {
  supplyFrom(config);
  delete process.env.UPLIFT_POOL_PROVIDER_TOKEN; // no child of this process needs it
  return pool;
});
