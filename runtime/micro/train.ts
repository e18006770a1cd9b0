// The micro runtime: real GRPO on a real, tiny transformer, on the CPU. Whoever calls it decides where it runs: here,
// in a worker thread or in a child process. Pure arithmetic is in grpo.ts and step.ts; this file keeps order and time.
import type { TrainingStep } from '#protocol/training';
import { type Train, train as trainConfig } from '#protocol/workspace';
import { drive, orAbort, type Turn, turns } from './drive.ts';
import { Engine } from './engine.ts';
import { makeModel } from './model.ts';
import { promptTokens } from './pack.ts';
import { type Rng, stream, streams } from './rng.ts';
import { sample } from './sample.ts';
import { makePolicy, type Policy, type Rewarded, type Rollouts, rollOut, update } from './step.ts';
import { decode } from './vocabulary.ts';
import { load, unload, type Weights } from './weights.ts';

export type TrainJob = {
  /** Weights to begin from; they are not changed. */
  base: Weights;
  /** Knobs that are left out have their defaults. */
  config: Partial<Train>;
  /** n prompts of 1 to 63 printable ASCII characters, drawn with rng alone. */
  prompts(rng: Rng, n: number): readonly string[] | Promise<readonly string[]>;
  /** What a completion is worth; finite, and usually in [0, 1]. */
  reward(prompt: string, completion: string): number | Promise<number>;
  /** The same for all completions of a prompt, where asking once is faster; asked for every prompt of a step at once. */
  rewards?(prompt: string, completions: readonly string[]): Promise<readonly number[]>;
};

export type TrainOptions = { onProgress?(record: TrainingStep): void; signal?: AbortSignal };

/** All weights after training, an adapter written out into them; the adapter alone if one was trained. */
export type TrainResult = { weights: Weights; adapter: Weights | null; curve: TrainingStep[] };

/** Trains a model as the job says. Rejects with the signal's reason within one piece of work of its abort. */
export async function train(job: TrainJob, { onProgress, signal }: TrainOptions = {}): Promise<TrainResult> {
  const policy = makePolicy(job.base, trainConfig.parse(job.config));
  const run: Run = { ...job, policy, signal, turn: turns(signal) };
  const curve: TrainingStep[] = [];
  for (let step = 1; step <= policy.config.steps; step++) {
    const record = await trainStep(run, step);
    curve.push(record);
    onProgress?.(record);
  }
  const { engine, weights } = policy.model;
  return { weights: unload(engine, weights), adapter: policy.trainable.adapter(), curve };
}

type Run = Pick<TrainJob, 'prompts' | 'reward' | 'rewards'> & {
  policy: Policy;
  signal: AbortSignal | undefined;
  turn: Turn;
};

async function trainStep(run: Run, step: number): Promise<TrainingStep> {
  const began = performance.now();
  const { policy, turn } = run;
  const prompts = await promptsOf(run, step);
  const rollouts = await drive(rollOut(policy, prompts, step), turn);
  const rewarded = run.rewards ? await allAtOnce(run.rewards, rollouts, run.signal) : await oneByOne(run, rollouts);
  const stats = await drive(update(policy, rewarded), turn);
  const rewards = rewarded.flatMap((group) => group.rewards);
  const reward = rewards.reduce((sum, value) => sum + value, 0) / rewards.length;
  return { step, reward, ...stats, seconds: (performance.now() - began) / 1000 };
}

async function promptsOf({ prompts, policy, signal }: Run, step: number): Promise<readonly string[]> {
  const { seed, groups_per_step } = policy.config;
  const result = await orAbort(prompts(stream(seed, streams.prompts, step), groups_per_step), signal);
  if (result.length !== groups_per_step) {
    throw new RangeError(`prompts(rng, ${groups_per_step}) gave ${result.length} prompts`);
  }
  return result;
}

async function oneByOne(run: Run, rollouts: readonly Rollouts[]): Promise<Rewarded[]> {
  const rewarded: Rewarded[] = [];
  for (const group of rollouts) {
    const rewards: number[] = [];
    for (const { tokens } of group.completions) {
      const completion = decode(tokens);
      rewards.push(finite(await orAbort(run.reward(group.prompt, completion), run.signal), group.prompt, completion));
      await run.turn();
    }
    rewarded.push({ ...group, rewards });
  }
  return rewarded;
}

async function allAtOnce(
  rewardsOf: NonNullable<TrainJob['rewards']>,
  rollouts: readonly Rollouts[],
  signal: AbortSignal | undefined,
): Promise<Rewarded[]> {
  const texts = rollouts.map(({ completions }) => completions.map(({ tokens }) => decode(tokens)));
  const asked = rollouts.map(({ prompt }, i) => rewardsOf(prompt, texts[i] ?? []));
  const answered = await orAbort(Promise.all(asked), signal);
  return rollouts.map((group, i) => ({
    ...group,
    rewards: (texts[i] ?? []).map((completion, j) => finite(answered[i]?.[j] ?? Number.NaN, group.prompt, completion)),
  }));
}

function finite(value: number, prompt: string, completion: string): number {
  if (Number.isFinite(value)) return value;
  throw new RangeError(`reward(${JSON.stringify(prompt)}, ${JSON.stringify(completion)}) is ${value}`);
}

export type GenerateOptions = {
  /** 0 takes the most probable token each time. */
  temperature: number;
  maxTokens: number;
  seed: number;
  signal?: AbortSignal;
};

const AT_ONCE = 128; // completions sampled together

/** One completion per prompt, in their order. A completion does not depend on the other prompts. */
export async function generate(
  weights: Weights,
  prompts: readonly string[],
  { temperature, maxTokens, seed, signal }: GenerateOptions,
): Promise<string[]> {
  const engine = new Engine();
  const model = makeModel(engine, load(engine, weights));
  const turn = turns(signal);
  const result = new Array<string>(prompts.length);
  for (let from = 0; from < prompts.length; from += AT_ONCE) {
    const asked = alike(prompts.slice(from, from + AT_ONCE));
    const requests = [...asked].map(([text, places]) => ({
      prompt: promptTokens(text),
      rngs: places.map((place) => stream(seed, streams.sampling, from + place)),
    }));
    const drawn = await drive(sample(model, requests, { temperature, maxTokens }), turn);
    [...asked.values()].forEach((places, request) => {
      places.forEach((place, at) => {
        result[from + place] = decode(drawn[request]?.[at]?.tokens ?? []);
      });
    });
  }
  return result;
}

/** The places of each prompt: it is read once for all its completions. */
function alike(prompts: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  prompts.forEach((prompt, place) => {
    places.set(prompt, [...(places.get(prompt) ?? []), place]);
  });
  return places;
}
