import { parentPort, workerData } from 'node:worker_threads';
import { type Cell, openCell } from './cell.ts';
import type { Answer, Job, Question } from './environment.ts';
import { EnvironmentFault } from './fault.ts';

/** The other side of environment.ts: one cell in a thread of its own, one answer for each question. */
const { source, limits } = workerData as Job;
const port = parentPort;
if (!port) throw new Error('thread.ts is started by environment.ts, as a thread');

const say = (answer: Answer): void => port.postMessage(answer);
const answering = (act: () => string[] | number[]): void => {
  try {
    say({ value: act() });
  } catch (error) {
    if (!(error instanceof EnvironmentFault)) throw error;
    say({ finding: error.finding });
  }
};

const answer = (cell: Cell, question: Question): string[] | number[] =>
  question.ask === 'prompts'
    ? cell.prompts(question.seed, question.n)
    : cell.rewards(question.prompts, question.completions);

const vm = await openCell(limits);
say({ value: [] });
answering(() => {
  vm.run(source);
  return [];
});
port.on('message', (question: Question) => answering(() => answer(vm, question)));
