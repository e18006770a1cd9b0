import { runWith } from '#kit/run';
import { podOf } from './actor.ts';
import { knobs } from './config.ts';

await runWith('pod', knobs, podOf);
