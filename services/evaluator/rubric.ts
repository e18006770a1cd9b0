import type { Failure } from '#protocol/failure';
import { mean, type Uplift, upliftOf } from './uplift.ts';

/** The reward of an episode, from what was measured. Pure; the parts are returned together with the reward. */
export const formulas = {
  /** 0.35 validity + 0.60 quality + 0.05 speed, with the uplift as measured. */
  reference: ({ validity, quality, speed }: Shares) => 0.35 * validity + 0.6 * quality + 0.05 * speed,
  /** Validity multiplies the rest, in the same proportion; the uplift counts with the lower bound of its interval. */
  gated: ({ validity, quality, speed }: Shares) => (validity * (0.6 * quality + 0.05 * speed)) / 0.65,
} as const;
export type Formula = keyof typeof formulas;

/** Measurements of a valid submission. */
export interface Measured {
  /** Base model → pinned scores of the hidden items, for all base models that the spec allows. */
  readonly baselines: Readonly<Record<string, readonly number[]>>;
  /** Scores of the trained model, on the same items in the same order. */
  readonly after: readonly number[];
  /** Duration of the training alone, and of a good training. */
  readonly seconds: number;
  readonly referenceSeconds: number;
}
export interface Evidence {
  /** Number of invalid submissions. */
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
  /** The uplift that the formula uses: as measured, or its lower bound. */
  readonly counted: number;
  readonly items: number;
  /** The base model that is compared with: the best one allowed. */
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

/** The best baseline, so that starting from a weaker base model is no advantage. */
function best(baselines: Measured['baselines']): [string, readonly number[]] {
  const [first, ...others] = Object.entries(baselines);
  if (!first) throw new Error('a reward needs a baseline: unfitIn() should have said so');
  return others.reduce((top, one) => (mean(one[1]) > mean(top[1]) ? one : top), first);
}

/** Why no reward can be computed, as a sentence; undefined if it can. A reward is never computed from NaN. */
function unfitIn(invalid: number, measured: Measured | null): string | undefined {
  if (!Number.isInteger(invalid) || invalid < 0) return `${invalid} invalid submissions: a whole number is needed`;
  if (!measured) return undefined;
  const { baselines, after, seconds, referenceSeconds } = measured;
  if (!(seconds >= 0 && seconds < Infinity))
    return `training took ${seconds} seconds: a finite number of 0 or more is needed`;
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
