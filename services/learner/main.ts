import { run } from '#kit/run';
import { learner } from './actor.ts';

await run({ actor: learner });
