import type { PublicSpec } from '#protocol/run';
import type { Option } from '#protocol/transcript';
import { train } from '#protocol/workspace';
import { prompts, rewards } from './blocks.ts';
import { operations } from './operations.ts';
import type { Reading } from './reading.ts';

/** What the options of a choice are described with. */
export interface View {
  readonly task: PublicSpec;
  readonly reading: Reading;
  /** Base model → its score before training, as the tool reported it. */
  readonly baselines: ReadonlyMap<string, number>;
}

/** The defaults of train.toml. */
const usual = train.parse({});

/**
 * The mind's preferences before it has learned anything, in logits: for an operation that shares words with the spec,
 * or that fits its examples; for the defaults of train.toml; slightly for the words and keys that it was told of; and
 * against experiments, which cost pod time. It has no preference among rewards, so most of its first jobs are mistakes.
 */
const priors = { overlap: 5, fits: 2, usual: 2.5, usualSteps: 1, told: 0.75, experiment: -2.5 } as const;
/**
 * Features that all options share are scaled up, so that they are learned before those of single options; that of
 * experiments is scaled down, so that a few lucky ones do not form a habit.
 */
const scale = { reading: 3, steps: 2, experiment: 0.25 } as const;

/**
 * The parts of a job that are chosen, in order. Each option has a feature of its own, with which a policy learns about
 * that option by trying it; the other features generalise to options that were never tried.
 */
export const points = {
  operation: ({ reading: { overlap, fits } }) =>
    Object.keys(operations).map((name) =>
      operationOption(name, {
        overlap: overlap.get(name) ?? 0,
        fits: fits.get(name) ?? 0,
      }),
    ),
  reward: plain('reward', Object.keys(rewards)),
  prompts: likely('prompts', Object.keys(prompts), { name: 'told', prior: priors.told }),
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
  learning_rate: knob('learning_rate', ['0.0001', '0.0003', '0.001', '0.003', '0.01', '0.03'], usual.learning_rate),
  steps: ({ reading }) =>
    ['5', '10', '25', '40', '60', '200'].map((name) => ({
      name,
      prior: Number(name) === usual.steps ? priors.usualSteps : 0,
      features: {
        'steps beyond': Number(name) > reading.steps ? 1 : 0,
        'steps used': scale.steps * Math.min(1, Number(name) / reading.steps),
        [`steps ${name}`]: 1,
      },
    })),
  /** Prompts per step × completions per prompt. */
  batch: knob('batch', ['2x4', '4x8', '8x8', '4x16'], `${usual.groups_per_step}x${usual.group_size}`),
  temperature: knob('temperature', ['0.3', '0.7', '1', '1.5'], usual.temperature),
  max_tokens: knob('max_tokens', ['4', '8', '16'], usual.max_tokens),
  kl_coef: knob('kl_coef', ['0', '0.05', '1'], usual.kl_coef),
  lora_rank: knob('lora_rank', ['0', '4', '16'], usual.lora_rank),
  /** How the keys of train.toml are spelled. */
  spelling: likely('spelling', ['snake_case', 'camelCase'], { name: 'snake_case', prior: priors.told }),
} as const satisfies Record<string, (view: View) => Option[]>;

export type Point = keyof typeof points;
export const pointNames = Object.keys(points) as Point[];
export const isPoint = (name: string): name is Point => Object.hasOwn(points, name);

/** The chosen option for each part of a job. */
export type Plan = Readonly<Record<Point, string>>;

/** What to do next: with a job that has been written, and with one that has findings. */
export const nextSteps = {
  check: (mayExperiment: boolean): Option[] => [
    ...plain('check', ['validate', 'submit'])(),
    ...(mayExperiment
      ? [{ name: 'experiment', prior: priors.experiment, features: { 'check experiment': scale.experiment } }]
      : []),
  ],
  wanting: plain('wanting', ['repair', 'submit', 'finish']),
} as const;

function operationOption(name: string, { overlap, fits }: { overlap: number; fits: number }): Option {
  return {
    name,
    prior: priors.overlap * overlap + priors.fits * fits,
    features: {
      'operation overlap': scale.reading * overlap,
      'operation fits': scale.reading * fits,
      // small, so that an operation that has not been asked for yet is hardly unlearned
      [`operation ${name}`]: 0.25,
    },
  };
}

function plain(point: string, names: readonly string[]): () => Option[] {
  return () => names.map((name) => ({ name, prior: 0, features: { [`${point} ${name}`]: 1 } }));
}

function likely(point: string, names: readonly string[], one: { name: string; prior: number }): () => Option[] {
  return () =>
    plain(point, names)().map((option) => (option.name === one.name ? { ...option, prior: one.prior } : option));
}

function knob(point: string, names: readonly string[], usually: string | number): () => Option[] {
  return likely(point, names, { name: String(usually), prior: priors.usual });
}
