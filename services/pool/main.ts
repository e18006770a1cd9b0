import { run } from '#kit/run';
import { pool } from './actor.ts';

await run({ actor: pool });
