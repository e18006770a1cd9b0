import type { Failure } from '#protocol/failure';
import { mean, type Uplift, upliftOf } from './uplift.ts';

/** What an episode is worth, out of what was measured. Pure; each part is returned beside the reward that it makes. */
export const formulas = {
  /** 0.35 validity + 0.60 quality + 0.05 speed, with the uplift as measured. */
  reference: ({ validity, quality, speed }: Shares) => 0.35 * validity + 0.6 * quality + 0.05 * speed,
  /** Validity multiplies the rest, in the same proportion; the uplift is the lower bound of its interval. */
  gated: ({ validity, quality, speed }: Shares) => (validity * (0.6 * quality + 0.05 * speed)) / 0.65,
} as const;
export type Formula = keyof typeof formulas;

/** What was measured of a valid submission. */
export interface Measured {
  /** Scores of the hidden items, by the base models that the spec allows, as pinned before. */
  readonly baselines: Readonly<Record<string, readonly number[]>>;
  /** Of the trained model, on the same items in the same order. */
  readonly after: readonly number[];
  /** Of the training alone, and how long a good one takes. */
  readonly seconds: number;
  readonly referenceSeconds: number;
}
export interface Evidence {
  /** Submissions that were found invalid, before the valid one if there is one. */
  readonly invalid: number;
  /** null: none was valid. */
  readonly measured: Measured | null;
}

interface Shares {
  readonly validity: number;
  readonly quality: number;
  readonly speed: number;
}
export interface Parts extends Shares, Uplift {
  /** The uplift that the formula counts: as measured, or its lower bound. */
  readonly counted: number;
  readonly items: number;
  /** The base model that was compared with: the best of those allowed. */
  readonly baseModel: string | null;
}
export type Verdict = { readonly reward: number; readonly parts: Parts } | { readonly failure: Failure };

const nothing: Parts = {
  validity: 0,
  quality: 0,
  speed: 0,
  counted: 0,
  before: 0,
  after: 0,
  uplift: 0,
  low: 0,
  high: 0,
  items: 0,
  baseModel: null,
};

export function rewardOf(formula: Formula, { invalid, measured }: Evidence): Verdict {
  const unfit = unfitIn(invalid, measured);
  if (unfit) return { failure: { code: 'evaluator/unfit-evidence', detail: unfit } };
  if (!measured) return { reward: 0, parts: nothing };
  const { baselines, after, seconds, referenceSeconds } = measured;
  const [baseModel, before] = best(baselines);
  const uplift = upliftOf(before, after);
  const counted = formula === 'gated' ? uplift.low : uplift.uplift;
  const shares = {
    validity: Math.max(0, 1 - 0.25 * invalid),
    quality: 0.25 * uplift.after + 0.75 * counted,
    speed: Math.max(0, 1 - seconds / referenceSeconds),
  };
  return {
    reward: formulas[formula](shares),
    parts: { ...uplift, ...shares, counted, items: after.length, baseModel },
  };
}

/** So that a weaker base is no profit. */
function best(baselines: Measured['baselines']): [string, readonly number[]] {
  const [first, ...others] = Object.entries(baselines);
  if (!first) throw new Error('a reward needs a baseline: unfitIn() should have said so');
  return others.reduce((top, one) => (mean(one[1]) > mean(top[1]) ? one : top), first);
}

/** What makes a reward impossible, in a sentence. A reward is never made of what is not a number. */
function unfitIn(invalid: number, measured: Measured | null): string | undefined {
  if (!Number.isInteger(invalid) || invalid < 0) return `${invalid} invalid submissions: a whole number is needed`;
  if (!measured) return undefined;
  const { baselines, after, seconds, referenceSeconds } = measured;
  if (!(seconds >= 0 && seconds < Infinity))
    return `training took ${seconds} seconds: a finite number from 0 is needed`;
  if (!(referenceSeconds > 0 && referenceSeconds < Infinity))
    return `the reference is ${referenceSeconds} seconds: a finite number above 0 is needed`;
  if (after.length === 0) return 'no item was scored: at least one is needed';
  const names = Object.keys(baselines);
  if (names.length === 0) return 'there is no baseline: pin one for each allowed base model with "uplift baselines"';
  return unfitScore('the trained model', after) ?? firstOf(names.map((name) => unfitBaseline(name, measured)));
}

function unfitBaseline(name: string, { baselines, after }: Measured): string | undefined {
  const scores = baselines[name] ?? [];
  if (scores.length !== after.length)
    return `${name} has ${scores.length} scores and the trained model ${after.length}: both must be of the same items`;
  return unfitScore(name, scores);
}

function unfitScore(of: string, scores: readonly number[]): string | undefined {
  const at = Array.from(scores).findIndex((score) => !(score >= 0 && score <= 1));
  return at < 0 ? undefined : `item ${at} of ${of} has the score ${scores[at]}: a score is 0 to 1`;
}

const firstOf = (sentences: readonly (string | undefined)[]): string | undefined => sentences.find((one) => one);
