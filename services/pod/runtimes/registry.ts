import type { Task } from '#protocol/workspace';
import { micro } from './micro.ts';
import type { Runtime } from './runtime.ts';

/** All runtimes, one line each. */
export const runtimes: Readonly<Record<Task['runtime'], Runtime>> = { micro };
