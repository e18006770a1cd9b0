import { run } from '#kit/run';
import { evaluator } from './actor.ts';

await run({ actor: evaluator });
