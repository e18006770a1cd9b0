// One GRPO step: draw completions, then one update from their rewards. Both are generators that yield between pieces
// of a few milliseconds; whoever drives them may look at the clock or at an abort signal there.
import type { Train } from '#protocol/workspace';
import { Engine } from './engine.ts';
import { advantages, tokenLoss } from './grpo.ts';
import { type Trainable, trainAdapter, trainAll } from './lora.ts';
import { type Model, makeModel } from './model.ts';
import { adamw, type Optimizer } from './optimizer.ts';
import { chunks, type Group, promptTokens } from './pack.ts';
import { stream, streams } from './rng.ts';
import { type Completion, sample } from './sample.ts';
import { learn, score } from './score.ts';
import { type Tensors, tensors } from './tensors.ts';
import { load, shapeOf, type Weights } from './weights.ts';

const SEQUENCES = 64; // sampled at once: more do not make the matrix products faster, and abort later
const ROWS = 160; // learned from at once: about 1 MB of activations, the size of a second-level cache

/** A policy in training, the base that it began from, and what moves it. */
export type Policy = {
  model: Model;
  base: Model;
  gradient: Tensors;
  trainable: Trainable;
  optimizer: Optimizer;
  config: Train;
};

/** A prompt with its completions, as drawn. */
export type Rollouts = { prompt: string; tokens: number[]; completions: Completion[] };
export type Rewarded = Rollouts & { rewards: readonly number[] };

/** Means over the completion tokens of a step; `kl` is to the base, nats per token, as is the entropy. */
type UpdateStats = { loss: number; entropy: number; kl: number; tokens: number };

export function makePolicy(base: Weights, config: Train): Policy {
  const engine = new Engine();
  const model = makeModel(engine, load(engine, base));
  const rank = config.lora_rank;
  const trainable = rank === 0 ? trainAll(model) : trainAdapter(model, rank, stream(config.seed, streams.adapter));
  return {
    model,
    base: makeModel(engine, load(engine, base)),
    gradient: tensors(engine, shapeOf(base)),
    trainable,
    optimizer: adamw(engine, trainable.values),
    config,
  };
}

export function* rollOut({ model, config }: Policy, prompts: readonly string[], step: number) {
  const { group_size, seed, temperature, max_tokens } = config;
  const requests = prompts.map((prompt, i) => ({
    prompt: promptTokens(prompt),
    rngs: Array.from({ length: group_size }, (_, j) => stream(seed, streams.sampling, step, i * group_size + j)),
  }));
  const result: Rollouts[] = [];
  const at = Math.max(1, Math.floor(SEQUENCES / group_size));
  for (let i = 0; i < requests.length; i += at) {
    const some = requests.slice(i, i + at);
    const drawn: Completion[][] = yield* sample(model, some, { temperature, maxTokens: max_tokens });
    some.forEach(({ prompt }, k) => {
      result.push({ prompt: prompts[i + k] ?? '', tokens: prompt, completions: drawn[k] ?? [] });
    });
  }
  return result;
}

// What a token needs beside its log-probability now: its weight is 1 / (G |o_i|) over all groups of the step.
type Drawn = { drawn: number; advantage: number; weight: number };
type Lesson = Group & { drawn: Drawn[][] };

function lessons(rewarded: readonly Rewarded[]): Lesson[] {
  const total = rewarded.reduce((sum, { completions }) => sum + completions.length, 0);
  return rewarded.map(({ tokens: prompt, completions, rewards }) => {
    const better = advantages(rewards);
    return {
      prompt,
      completions: completions.map(({ tokens }) => tokens),
      drawn: completions.map(({ logprobs }, i) =>
        logprobs.map((drawn) => ({ drawn, advantage: better[i] ?? 0, weight: 1 / (total * logprobs.length) })),
      ),
    };
  });
}

export function* update(policy: Policy, rewarded: readonly Rewarded[]) {
  const { model, base, gradient, trainable, optimizer, config } = policy;
  const stats: UpdateStats = { loss: 0, entropy: 0, kl: 0, tokens: 0 };
  model.engine.values(gradient.all).fill(0);
  for (const groups of chunks(lessons(rewarded), ROWS)) {
    yield;
    const baseLogprobs = score(base, groups, config.temperature);
    yield;
    learnChunk(policy, { groups, baseLogprobs, stats });
  }
  yield;
  optimizer(trainable.gradientOf(gradient), config.learning_rate);
  trainable.apply();
  stats.entropy /= stats.tokens;
  stats.kl /= stats.tokens;
  return stats;
}

type Chunk = { groups: readonly Lesson[]; baseLogprobs: number[][][]; stats: UpdateStats };

function learnChunk({ model, gradient, config }: Policy, { groups, baseLogprobs, stats }: Chunk): void {
  stats.entropy += learn(model, gradient, {
    groups,
    temperature: config.temperature,
    slope: ({ group, completion, at }, logprob) => {
      const token = groups[group]?.drawn[completion]?.[at];
      const base = baseLogprobs[group]?.[completion]?.[at];
      if (!token || base === undefined) throw new Error(`no token ${at} of completion ${completion}`);
      const { drawn, advantage, weight } = token;
      const { loss, slope, kl } = tokenLoss({ logprob, drawn, base, advantage }, config.kl_coef);
      stats.loss += loss * weight;
      stats.kl += kl;
      stats.tokens++;
      return slope * weight;
    },
  });
}
