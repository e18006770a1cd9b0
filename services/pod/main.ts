import { run } from '#kit/run';
import { pod } from './actor.ts';

await run({ actor: pod });
