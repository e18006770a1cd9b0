import { run } from '#kit/run';
import { conductor } from './actor.ts';

await run({ actor: conductor });
