// Makes the base models: supervised learning of every operation on random words, the operation untold. The best that
// such a model can do is to spread its probability over the answers, so each operation is right about one time in
// twelve, and GRPO has something to find. Seeded: the same file from the same code. Run: npm run micro:pretrain
import { mkdir, writeFile } from 'node:fs/promises';
import { Engine } from './engine.ts';
import { type Model, makeModel, refresh } from './model.ts';
import { muon } from './muon.ts';
import { operations, promptOf, randomWord } from './operations.ts';
import { adamw } from './optimizer.ts';
import { chunks, type Group, promptTokens } from './pack.ts';
import { type Rng, stream, streams } from './rng.ts';
import { writeSafetensors } from './safetensors.ts';
import { learn, score } from './score.ts';
import { bases, type Tensors, tables, tensors } from './tensors.ts';
import { BOUNDARY, encode } from './vocabulary.ts';
import { load, unload, untrained } from './weights.ts';

const STEPS = 6000;
const WORDS = 32; // per step, each with its answer to every operation
const TABLES = 1e-2; // learning rate of AdamW on the embedding and the positions
const MATRICES = 0.02; // learning rate of Muon on the rest
const WARMUP = 100; // steps until the learning rates are reached; then they fall to 0 along a cosine
const SEED = 1;
const ROWS = 160; // learned from at once
const HELD_OUT = 256; // words that only measure
const folder = new URL('./bases/', import.meta.url);

/** A word with its answer to each operation, in the order of the table. */
function lesson(rng: Rng): Group {
  const word = randomWord(rng);
  const answers = Object.values(operations).map((operation) => [...encode(operation(word)), BOUNDARY]);
  return { prompt: promptTokens(promptOf(word)), completions: answers };
}

function lessons(rng: Rng, words: number): Group[] {
  return Array.from({ length: words }, () => lesson(rng));
}

/** Share of the learning rates in a step. */
function schedule(step: number): number {
  if (step < WARMUP) return (step + 1) / WARMUP;
  return (1 + Math.cos((Math.PI * (step - WARMUP)) / (STEPS - WARMUP))) / 2;
}

/** Adds the gradient of the cross-entropy per answer; returns it in nats. */
function learnStep(model: Model, gradient: Tensors, rng: Rng): number {
  model.engine.values(gradient.all).fill(0);
  const weight = 1 / (WORDS * Object.keys(operations).length);
  let loss = 0;
  for (const groups of chunks(lessons(rng, WORDS), ROWS)) {
    learn(model, gradient, {
      groups,
      temperature: 1,
      slope: (_, logprob) => {
        loss -= logprob * weight;
        return -weight;
      },
    });
  }
  return loss;
}

/** Probability that a completion drawn at temperature 1 is the operation's answer, mean over held-out words. */
function accuracies(model: Model): Record<string, number> {
  const groups = lessons(stream(SEED, streams.words, HELD_OUT), HELD_OUT);
  const right = groups.flatMap((group) => score(model, [group], 1).flat()).map(probability);
  const count = Object.keys(operations).length;
  return Object.fromEntries(
    Object.keys(operations).map((name, i) => {
      const own = right.filter((_, at) => at % count === i);
      return [name, Number((own.reduce((sum, p) => sum + p, 0) / own.length).toFixed(3))];
    }),
  );
}

const probability = (logprobs: readonly number[]): number => Math.exp(logprobs.reduce((sum, p) => sum + p, 0));

async function pretrain(name: keyof typeof bases): Promise<void> {
  const engine = new Engine();
  const model = makeModel(engine, load(engine, untrained(bases[name], stream(SEED, streams.initial))));
  const gradient = tensors(engine, bases[name]);
  const moveTables = adamw(engine, tables(model.weights));
  const moveMatrices = muon(engine, model.weights.layers);
  const rng = stream(SEED, streams.prompts);
  const began = performance.now();
  for (let step = 0; step < STEPS; step++) {
    const loss = learnStep(model, gradient, rng);
    moveTables(tables(gradient), TABLES * schedule(step));
    moveMatrices(gradient.layers, MATRICES * schedule(step));
    refresh(model);
    if ((step + 1) % 200 === 0) report({ name, step: step + 1, loss: Number(loss.toFixed(4)), seconds: since(began) });
  }
  report({ name, accuracies: accuracies(model) });
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${name}.safetensors`, folder), writeSafetensors(unload(engine, model.weights)));
}

const since = (began: number): number => Math.round((performance.now() - began) / 1000);

function report(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(bases);
for (const name of names) {
  if (name !== 'micro-s' && name !== 'micro-m') throw new Error(`no base model is named ${name}`);
  await pretrain(name);
}
