import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { Failure } from '#protocol/failure';
import { answerTokens, type TrainingStep } from '#protocol/training';
import { type Environment, loadEnvironment } from '#runtime/environment/environment';
import { defaultLimits } from '#runtime/environment/limits';
import { prepareThread } from '#runtime/environment/threads';
import { Diverged } from '#runtime/micro/diverged';
import { readSafetensors, writeSafetensors } from '#runtime/micro/safetensors';
import { bases } from '#runtime/micro/tensors';
import { generate, type TrainJob, train } from '#runtime/micro/train';
import type { Weights } from '#runtime/micro/weights';
import { faultOf, Overran } from './fault.ts';
import type { Order } from './runtime.ts';

/** The other side of micro.ts: trains and answers prompts in a thread, one question at a time. */
export type Question =
  | { readonly ask: 'train'; readonly order: Order }
  | { readonly ask: 'answer'; readonly weights: Uint8Array; readonly prompts: readonly string[] }
  | { readonly ask: 'stop' };
export type Answer =
  | { readonly say: 'step'; readonly step: TrainingStep }
  | {
      readonly say: 'trained';
      readonly weights: Uint8Array | null;
      readonly fault: Failure | null;
      readonly seconds: number;
    }
  | { readonly say: 'answered'; readonly completions: string[] }
  | { readonly say: 'stopped' }
  | { readonly say: 'threw'; readonly error: string };

const port = parentPort;
if (!port) throw new Error('micro-thread.ts is started by micro.ts, as a thread');
const say = (answer: Answer): void => port.postMessage(answer);
const read = new Map<string, Weights>();
let stop = new AbortController();

function baseOf(name: string): Weights {
  if (!Object.hasOwn(bases, name))
    throw new Error(`"${name}" is not a base model of micro; they are ${Object.keys(bases).join(', ')}`);
  const file = new URL(import.meta.resolve('#runtime/micro/tensors'));
  const weights = read.get(name) ?? readSafetensors(readFileSync(new URL(`./bases/${name}.safetensors`, file)));
  read.set(name, weights);
  return weights;
}

/** Trains; what the job does wrong is a result. Rejects if stopped, or if the fault is not the job's. */
async function runJob(order: Order): Promise<void> {
  const base = baseOf(order.baseModel);
  const overran = new AbortController();
  const signal = AbortSignal.any([stop.signal, overran.signal]);
  let environment: Environment | undefined;
  let began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  const timer = setTimeout(
    () => overran.abort(new Overran(`training was not finished after ${order.seconds} s`)),
    order.seconds * 1000,
  );
  try {
    environment = await loadEnvironment(order.files['environment.js'] ?? '', defaultLimits);
    began = performance.now();
    timer.refresh();
    const { weights } = await train(jobOf(order, base, environment), { signal, onProgress: tellStep });
    say({ say: 'trained', weights: writeSafetensors(weights), fault: null, seconds: seconds() });
  } catch (error) {
    const fault = faultOf(error);
    if (!fault) throw error;
    say({ say: 'trained', weights: null, fault, seconds: seconds() });
    prepareThread().catch(() => undefined); // a script that was terminated took its thread with it
  } finally {
    clearTimeout(timer);
    await environment?.dispose();
  }
}

function jobOf({ train: config }: Order, base: Weights, environment: Environment): TrainJob {
  return {
    base,
    config,
    prompts: (rng, n) => environment.prompts(Math.floor(rng() * 2 ** 32), n),
    reward: environment.reward,
    rewards: (prompt, completions) =>
      environment.rewards(
        completions.map(() => prompt),
        completions,
      ),
  };
}

function tellStep(step: TrainingStep): void {
  if (!Object.values(step).every(Number.isFinite)) throw new Diverged(`step ${step.step} has a loss of ${step.loss}`);
  say({ say: 'step', step });
}

async function handle(question: Question): Promise<void> {
  if (question.ask === 'train') return await runJob(question.order);
  if (question.ask === 'stop') return;
  const how = { temperature: 0, maxTokens: answerTokens, seed: 0, signal: stop.signal };
  say({ say: 'answered', completions: await generate(readSafetensors(question.weights), question.prompts, how) });
}

port.on('message', (question: Question) => {
  if (question.ask === 'stop') return stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  handle(question).catch((error: unknown) => {
    if (signal.aborted) say({ say: 'stopped' });
    else say({ say: 'threw', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});
