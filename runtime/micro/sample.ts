// Sampling with a key-value cache: each token is computed once. The completions of a prompt share the prompt's rows.
import { Diverged } from './diverged.ts';
import type { Block } from './engine.ts';
import { attended, embedded, feedForward, type Model, normed } from './model.ts';
import { placeIds, placeSpans, promptRows, type Row } from './pack.ts';
import type { Rng } from './rng.ts';
import { logOf, toProbabilities } from './score.ts';
import { CONTEXT } from './tensors.ts';
import { BOUNDARY, TOKENS } from './vocabulary.ts';

/** A prompt's tokens, and one stream of random numbers for each completion wanted. */
export type Request = { readonly prompt: readonly number[]; readonly rngs: readonly Rng[] };

/** Tokens with the boundary that ended them, if one did, and their log-probabilities (nats) when they were drawn. */
export type Completion = { tokens: number[]; logprobs: number[] };

/** Temperature 0 takes the most probable token and reports its log-probability at temperature 1. */
export type SampleOptions = { readonly temperature: number; readonly maxTokens: number };

// `head` is the row of the next token's probabilities in the step's output; the cache holds the prompt's rows from
// `first` and the completion's from `start`.
type Sequence = Completion & { rng: Rng; prompt: readonly number[]; head: number; first: number; start: number };

/** One step's input: rows, where each goes in the cache, and which of them predict. */
type Input = { rows: Row[]; places: number[]; heads: number[] };

/** Completions by [request][rng]. Yields between pieces of work of a few milliseconds. */
export function* sample(model: Model, requests: readonly Request[], options: SampleOptions) {
  const { engine } = model;
  const mark = engine.mark();
  try {
    const { prompts, sequences, size } = arrange(requests, options.maxTokens);
    const cache = model.weights.layers.map((layer) => engine.block(size, layer.qkv.columns));
    let active = sequences.flat();
    let input = prompts;
    while (active.length > 0) {
      yield;
      const now = input;
      const probabilities = engine.scratch(() => predict(model, cache, { input: now, options }));
      for (const sequence of active) draw(sequence, probabilities, options.temperature);
      active = active.filter((sequence) => goesOn(sequence, options.maxTokens));
      input = nextInput(active);
    }
    return sequences.map((group) => group.map(({ tokens, logprobs }): Completion => ({ tokens, logprobs })));
  } finally {
    engine.release(mark);
  }
}

function arrange(requests: readonly Request[], maxTokens: number) {
  const prompts: Input = { rows: [], places: [], heads: [] };
  const firsts = requests.map(({ prompt }) => {
    const first = prompts.rows.length;
    prompts.rows.push(...promptRows(prompt, first));
    prompts.heads.push(prompts.rows.length - 1);
    return first;
  });
  prompts.places = prompts.rows.map((_, row) => row);
  let size = prompts.rows.length;
  const sequences = requests.map(({ prompt, rngs }, head) =>
    rngs.map((rng): Sequence => {
      const start = size;
      size += Math.min(maxTokens, CONTEXT);
      return { rng, prompt, head, first: firsts[head] ?? 0, start, tokens: [], logprobs: [] };
    }),
  );
  return { prompts, sequences, size };
}

// A copy of the probabilities [heads, tokens]: 25 kB for 64 heads.
function predict(model: Model, cache: readonly Block[], { input, options }: { input: Input; options: SampleOptions }) {
  const { engine, flipped } = model;
  const hidden = engine.pick(advance(model, cache, input), input.heads);
  const logits = engine.product(normed(engine, hidden).out, flipped.embedding);
  toProbabilities(engine, logits, options.temperature || 1);
  return engine.values(logits).slice();
}

/** Computes new rows [rows, width] before the last norm, adding their keys and values to the cache. */
function advance(model: Model, cache: readonly Block[], { rows, places }: Input): Block {
  const { engine, weights } = model;
  const spans = placeSpans(engine, rows);
  const x = embedded(model, placeIds(engine, rows));
  weights.layers.forEach((layer, i) => {
    const keys = cache[i];
    if (!keys) throw new Error(`no cache for layer ${i}`);
    const query = engine.product(normed(engine, x).out, layer.qkv);
    engine.place(query, keys, places);
    const { mixed } = attended(engine, { query, keys, spans });
    engine.multiply({ a: mixed, b: layer.out, out: x, add: true });
    feedForward(engine, layer, x);
  });
  return x;
}

function draw(sequence: Sequence, probabilities: Float32Array, temperature: number): void {
  const row = probabilities.subarray(sequence.head * TOKENS, (sequence.head + 1) * TOKENS);
  const token = temperature === 0 ? row.indexOf(Math.max(...row)) : pickToken(row, sequence.rng());
  if (token === -1) throw new Diverged('the model gives no probabilities: its weights are not finite');
  sequence.tokens.push(token);
  sequence.logprobs.push(logOf(row[token] ?? 0));
}

/** The first token at which the summed probabilities pass `point`, which is in [0, 1). */
function pickToken(row: Float32Array, point: number): number {
  let rest = point;
  for (let token = 0; token < row.length; token++) {
    rest -= row[token] ?? 0;
    if (rest < 0) return token;
  }
  // the probabilities may sum to a little less than 1
  return row.indexOf(Math.max(...row));
}

function goesOn({ tokens, prompt }: Sequence, maxTokens: number): boolean {
  return tokens.at(-1) !== BOUNDARY && tokens.length < maxTokens && prompt.length + tokens.length <= CONTEXT;
}

function nextInput(active: readonly Sequence[]): Input {
  const input: Input = { rows: [], places: [], heads: [] };
  active.forEach((sequence, head) => {
    const { tokens, prompt, first, start } = sequence;
    const at = start + tokens.length - 1;
    sequence.head = head;
    input.heads.push(head);
    input.places.push(at);
    input.rows.push({
      token: tokens.at(-1) ?? BOUNDARY,
      place: prompt.length + tokens.length - 1,
      span: [first, first + prompt.length, start, at + 1],
    });
  });
  return input;
}
