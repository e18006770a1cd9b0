import type { Spec } from '#protocol/run';
import type { Option } from '#protocol/transcript';
import { prompts, rewards } from './blocks.ts';
import { operations } from './operations.ts';
import type { Reading } from './reading.ts';

/** What the options of a choice are described by. */
export interface View {
  readonly task: Spec;
  readonly reading: Reading;
  /** Base model → its score before any training, as the tool told it. */
  readonly baselines: ReadonlyMap<string, number>;
}

/**
 * The parts of a job that are chosen, in their order. A feature of its own for each option is what a policy learns of it
 * by trying; the other features say something of options that were never tried.
 */
export const points = {
  operation: ({ reading }) =>
    Object.keys(operations).map((name) => ({
      name,
      prior: 0,
      features: {
        'operation overlap': reading.overlap.get(name) ?? 0,
        'operation fits': reading.fits.get(name) ?? 0,
        // small, so that an operation which was never asked for is hardly forgotten
        [`operation ${name}`]: 0.25,
      },
    })),
  reward: plain('reward', Object.keys(rewards)),
  prompts: plain('prompts', Object.keys(prompts)),
  base: ({ task, baselines }) =>
    ['micro-s', 'micro-m'].map((name) => ({
      name,
      prior: 0,
      features: {
        'base score': 10 * (baselines.get(name) ?? 0),
        'base told': task.text.includes(name) ? 1 : 0,
        [`base ${name}`]: 1,
      },
    })),
  learning_rate: plain('learning_rate', ['0.0001', '0.0003', '0.001', '0.003', '0.01', '0.03']),
  steps: ({ reading }) =>
    ['5', '10', '25', '40', '60', '200'].map((name) => ({
      name,
      prior: 0,
      features: { 'steps beyond': Number(name) > reading.steps ? 1 : 0, [`steps ${name}`]: 1 },
    })),
  /** Prompts of a step × completions of a prompt. */
  batch: plain('batch', ['2x4', '4x8', '8x8', '4x16']),
  temperature: plain('temperature', ['0.3', '0.7', '1', '1.5']),
  max_tokens: plain('max_tokens', ['4', '8', '16']),
  kl_coef: plain('kl_coef', ['0', '0.05', '1']),
  lora_rank: plain('lora_rank', ['0', '4', '16']),
  /** How the keys of train.toml are spelled. */
  spelling: plain('spelling', ['snake_case', 'camelCase']),
} as const satisfies Record<string, (view: View) => Option[]>;

export type Point = keyof typeof points;
export const pointNames = Object.keys(points) as Point[];
export const isPoint = (name: string): name is Point => Object.hasOwn(points, name);

/** An option for each part of a job. */
export type Plan = Readonly<Record<Point, string>>;

/** What to do next with a job that is written, and with one that was found wanting. */
export const turns = {
  check: plain('check', ['validate', 'submit']),
  wanting: plain('wanting', ['repair', 'submit', 'finish']),
} as const;

function plain(point: string, names: readonly string[]): () => Option[] {
  return () => names.map((name) => ({ name, prior: 0, features: { [`${point} ${name}`]: 1 } }));
}
