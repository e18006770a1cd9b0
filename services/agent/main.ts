import { run } from '#kit/run';
import { agent } from './actor.ts';

await run({ actor: agent });
