import type { Task } from '#protocol/workspace';
import { micro } from './micro.ts';
import type { Runtime } from './runtime.ts';

/** Every runtime that this pod has. */
export const runtimes: Readonly<Record<Task['runtime'], Runtime>> = { micro };
