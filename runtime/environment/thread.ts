import { isDeepStrictEqual } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { type Cell, openCell } from './cell.ts';
import { EnvironmentFault } from './fault.ts';
import { defaultLimits, type Limits } from './limits.ts';
import type { Answer, Question } from './threads.ts';

/** The other side of threads.ts: one cell at a time in a thread of its own, one answer for each question. */
const port = parentPort;
if (!port) throw new Error('thread.ts is started by threads.ts, as a thread');
let cell: Cell | undefined;
/** Opened while nobody waits: that is most of what it takes to load an environment. */
let spare: Promise<Cell> | undefined;

async function answer(question: Question): Promise<string[] | number[]> {
  if (question.ask === 'close') cell = undefined;
  if (question.ask === 'open') cell = await take(question.limits);
  if (question.ask === 'run') cell?.run(question.source);
  if (question.ask === 'prompts') return cell?.prompts(question.seed, question.n) ?? [];
  if (question.ask === 'rewards') return cell?.rewards(question.prompts, question.completions) ?? [];
  return [];
}

async function take(limits: Limits): Promise<Cell> {
  const taken = isDeepStrictEqual(limits, defaultLimits) ? spare : undefined;
  if (taken) spare = undefined;
  return (await taken) ?? (await openCell(limits));
}

const say = (said: Answer): void => port.postMessage(said);

/** A cell goes with its environment, so there is none to wait for between two of them. */
function prepare(): void {
  if (!cell) spare ??= openCell(defaultLimits);
}

port.on('message', (question: Question) => {
  void answer(question)
    .then(
      (value) => say({ value }),
      (error: unknown) => {
        // what is no finding is a bug of ours, and ends the thread with its own words
        if (!(error instanceof EnvironmentFault)) throw error;
        say({ finding: error.finding });
      },
    )
    .then(prepare);
});
say({ value: [] });
prepare();
