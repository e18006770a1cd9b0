// Episodes as they might have been, made of numbers: what summaries and reports are tried with.

import type { Finding } from '#protocol/finding';
import type { Choice, Transcript } from '#protocol/transcript';
import type { Verdict } from '#protocol/verdict';
import type { Workspace } from '#protocol/workspace';
import { speechless } from '../../support/speechless.ts';

export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** 0 to 1; mulberry32 */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** About 0, seldom beyond 1. */
  swing(): number {
    return this.roll() + this.roll() + this.roll() - 1.5;
  }

  one<T>(all: readonly T[]): T {
    return all[Math.floor(this.roll() * all.length)] as T;
  }
}

export const clamp = (value: number): number => Math.min(1, Math.max(0, value));

const options: Readonly<Record<string, readonly string[]>> = {
  'base model': ['micro-s', 'micro-m'],
  'learning rate': ['0.0003', '0.001', '0.0015', '0.003', '0.01'],
  'reward shape': ['exact match', 'share of letters', 'length and letters', 'prefix', 'always half', 'edit distance'],
  steps: ['10', '25', '50', '80'],
  'prompt source': ['random words', 'frequent words', 'short first'],
  'after a finding': ['repair and submit again', 'submit another', 'give up'],
};

/** The best option grows likelier as the policy learns. */
function choose(dice: Dice, point: string, skill: number): Choice {
  const names = options[point] ?? [];
  const best =
    { 'base model': 1, 'learning rate': 2, 'reward shape': 1, steps: 3, 'prompt source': 0, 'after a finding': 0 }[
      point
    ] ?? 0;
  const right = dice.roll() < 0.15 + 0.8 * skill;
  const chosen = right ? best : Math.floor(dice.roll() * names.length);
  const share = right ? 0.2 + 0.7 * skill : 0.8 / names.length;
  return {
    point,
    options: names.map((name) => ({ name, prior: 0, features: { [`${point}=${name}`]: 1 } })),
    chosen,
    logprob: Math.log(share),
  };
}

const environment = (
  family: string,
): string => `// ${family}: words of three to seven letters, and the share of letters in their place
const letters = 'abcdefghijklmnopqrstuvwxyz';

function word(rng) {
  const length = 3 + Math.floor(rng() * 5);
  let made = '';
  for (let n = 0; n < length; n += 1) made += letters[Math.floor(rng() * 26)];
  return made;
}

function answer(prompt) {
  return Array.from(prompt.slice(0, -1)).reverse().join('');
}

function prompts(rng, n) {
  return Array.from({ length: n }, () => word(rng) + '>');
}

function reward(prompt, completion) {
  const wanted = answer(prompt);
  if (completion.length !== wanted.length) return 0;
  let right = 0;
  for (let at = 0; at < wanted.length; at += 1) if (completion[at] === wanted[at]) right += 1;
  return right / wanted.length;
}
`;

export const workspaceOf = (family: string, spec: string): Workspace => ({
  'task.json': `${JSON.stringify({ runtime: 'micro', baseModel: 'micro-m', spec }, null, 2)}\n`,
  'train.toml': 'steps = 80\ngroups_per_step = 8\ngroup_size = 8\nlearning_rate = 1.5e-3\nmax_tokens = 12\n',
  'environment.js': environment(family),
  'notes.md': `The base model is right about one time in ten, so the reward pays for each letter.\n`,
});

const equal: Finding = {
  code: 'red-team/rewards-equal',
  file: 'environment.js',
  line: null,
  sentence: 'all 64 completions of micro-m are worth 0.5: pay more for a completion that is nearer to the answer',
};
const range: Finding = {
  code: 'environment/reward-out-of-range',
  file: 'environment.js',
  line: 24,
  sentence: 'reward returned 1.25: divide by the length of the answer',
};

export function transcriptOf(
  dice: Dice,
  { policy, skill, spec, invalid }: { policy: number; skill: number; spec: string; invalid: number },
): Transcript {
  const points = ['base model', 'learning rate', 'reward shape', 'steps', 'prompt source'];
  const first = {
    text: 'The words of the spec ask for an operation on letters; I look at what the base models can do.',
    choices: points.map((point) => choose(dice, point, skill)),
    calls: [
      { tool: 'get_baseline_scores', input: { spec }, result: '{"micro-s": 0.06, "micro-m": 0.11}' },
      { tool: 'write_file', input: { path: 'environment.js', text: environment('word') }, result: 'written' },
      { tool: 'write_file', input: { path: 'train.toml', text: 'steps = 80\n' }, result: 'written' },
      { tool: 'submit', input: {}, result: null },
    ],
    findings: null,
    experiments: [],
    ...speechless,
  };
  const repairs = Array.from({ length: invalid }, (_, n) => ({
    text: 'The finding names the reward; I change its shape.',
    choices: [choose(dice, 'after a finding', skill), choose(dice, 'reward shape', skill)],
    calls: [
      {
        tool: 'edit_file',
        input: { path: 'environment.js', old: 'return 0.5;', new: 'return right / wanted.length;' },
        result: 'edited',
      },
      { tool: 'submit', input: {}, result: null },
    ],
    findings: [n % 2 === 0 ? equal : range],
    experiments: [],
    ...speechless,
  }));
  return { mind: 'catalogue', policy, moves: [first, ...repairs] };
}

export interface Setting {
  readonly family: string;
  readonly group: string;
  readonly policy: number;
  readonly purpose: Verdict['purpose'];
  readonly use: Verdict['use'];
  readonly skill: number;
  readonly endedAt: number;
  readonly at: number;
}

const nothing = {
  validity: 0,
  quality: 0,
  speed: 0,
  before: 0,
  after: 0,
  uplift: 0,
  low: 0,
  high: 0,
  counted: 0,
  items: 0,
  baseModel: null,
};

type Fate = Pick<Verdict, 'outcome' | 'invalid'>;

function fateOf(dice: Dice, skill: number): Fate {
  const fate = dice.roll();
  if (fate < 0.015) return { outcome: 'failed', invalid: 0 };
  if (fate < 0.015 + 0.16 * (1 - skill)) return { outcome: 'invalid', invalid: 3 };
  return { outcome: 'scored', invalid: dice.roll() < 0.5 * (1 - skill) ? 1 + Math.floor(dice.roll() * 2) : 0 };
}

export function verdictOf(dice: Dice, { family, skill, at, ...set }: Setting): Verdict {
  const fate = fateOf(dice, skill);
  const text = `Train a model that does this to a word of small letters: ${family.replaceAll('-', ' ')}. A prompt is the word and ">"; it answers with the result and nothing else.`;
  return {
    ...set,
    ...fate,
    ...(fate.outcome === 'scored' ? scored(dice, fate.invalid, { skill, at }) : unscored(fate)),
    version: 1,
    run: 'quickstart-7',
    episode: `e${at}`,
    spec: `${family}-${at % 3}`,
    formula: 'reference',
    begunAt: 1_000,
    family,
    text,
    transcript: null,
    workspace: null,
    weights: null,
    fault: null,
    findings: fate.invalid > 0 ? [equal] : [],
  };
}

type Measured = Pick<
  Verdict,
  'reward' | 'parts' | 'failure' | 'jobs' | 'podSeconds' | 'pod' | 'baseModel' | 'seconds' | 'curve'
>;

function unscored({ outcome }: Fate): Measured {
  const common = { podSeconds: 0, pod: null, baseModel: null, seconds: null, curve: [] };
  if (outcome === 'invalid') return { ...common, reward: 0, parts: nothing, failure: null, jobs: 0 };
  const detail = 'pod p2 (process 3) ended with signal SIGKILL at step 14 of 80';
  return { ...common, reward: null, parts: null, failure: { code: 'pod/lost', detail }, jobs: 1 };
}

function scored(dice: Dice, invalid: number, { skill, at }: Pick<Setting, 'skill' | 'at'>): Measured {
  const before = 0.06 + 0.08 * dice.roll();
  const uplift = clamp(skill * (0.75 + 0.3 * dice.swing()) + 0.06 * dice.roll());
  const after = before + uplift * (1 - before);
  const seconds = 0.5 + 0.9 * dice.roll() + 0.3 * skill;
  const shares = { validity: 1 - 0.25 * invalid, quality: 0.25 * after + 0.75 * uplift, speed: clamp(1 - seconds / 3) };
  const [low, high] = [clamp(uplift - 0.08), clamp(uplift + 0.07)];
  return {
    reward: 0.35 * shares.validity + 0.6 * shares.quality + 0.05 * shares.speed,
    parts: { ...shares, before, after, uplift, low, high, counted: uplift, items: 64, baseModel: 'micro-m' },
    failure: null,
    jobs: 1,
    podSeconds: seconds + 0.3,
    pod: `p${1 + (at % 2)}`,
    baseModel: dice.roll() < 0.3 * (1 - skill) ? 'micro-s' : 'micro-m',
    seconds,
    curve: curveOf(dice, { before, after, seconds }),
  };
}

function curveOf(dice: Dice, { before, after, seconds }: { before: number; after: number; seconds: number }) {
  const length = 20 + Math.floor(dice.roll() * 5) * 15;
  return Array.from({ length }, (_, step) => {
    const progress = 1 / (1 + Math.exp(-(step / length - 0.45) * 9));
    return {
      step,
      reward: clamp(before + (after - before) * progress + 0.04 * dice.swing()),
      loss: 0.02 * dice.swing(),
      entropy: 1.6 - 1.3 * progress * (after - before) + 0.05 * dice.swing(),
      kl: 0.4 * progress,
      tokens: 380 + Math.floor(60 * dice.roll()),
      seconds: seconds / length,
    };
  });
}
