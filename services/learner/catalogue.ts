import { type CataloguePolicy, cataloguePolicy } from '#protocol/policy';
import { type Choice, type PolicyWeights, probabilities } from '#protocol/transcript';
import type { Lesson, Trainer } from './trainer.ts';

/**
 * A choice i of an episode with advantage A was made with probability p_old, and would be made with p by the policy now:
 *
 *   ratio = p / p_old                                                         importance sampling
 *   gain  = min(ratio A, clip(ratio, 0.8, 1.2) A)                             Schulman et al. 2017, equation 7
 *   gain is maximized as its mean over episodes of its sum over choices, with entropy beside it:
 *   J = 1/N Σ_episodes Σ_choices (gain + β H)                                 Schulman et al. 2017, equation 9
 *   d log p / d w = φ(chosen) - Σ_o p(o) φ(o)                                 φ: the features of an option
 *
 * by ascent with Adam (Kingma and Ba 2015, algorithm 1). No order depends on anything but the lessons: the same ones give
 * the same weights, bit for bit.
 */
export const knobs = {
  learningRate: 0.3,
  clip: { low: 0.8, high: 1.2 },
  /** β, in units of reward per nat. */
  entropy: 0.01,
  adam: { beta1: 0.8, beta2: 0.95, epsilon: 1e-8 },
  /** Passes over the lessons of an update, each with a step of Adam: from the second on the clip holds them. */
  passes: 1,
} as const;

export type Gradient = Map<string, number>;

export const catalogue: Trainer = {
  async open() {
    return bytesOf({ version: 0, weights: {}, optimizer: { m: {}, v: {}, t: 0 }, position: 0 });
  },
  async update(policy, { version, position, lessons }) {
    const before = cataloguePolicy.parse(JSON.parse(Buffer.from(policy).toString('utf8')));
    const slopes = objective(before.weights, lessons);
    let now: Pick<CataloguePolicy, 'weights' | 'optimizer'> = before;
    for (let pass = 0; pass < knobs.passes; pass += 1) now = ascend(now, objective(now.weights, lessons).gradient);
    return {
      policy: bytesOf({ version, weights: now.weights, optimizer: now.optimizer, position }),
      ...statsOf(slopes),
    };
  },
};

const bytesOf = (policy: CataloguePolicy): Uint8Array => Buffer.from(JSON.stringify(policy));

interface Objective {
  /** J. */
  value: number;
  readonly gradient: Gradient;
  /** Sums over the choices. */
  choices: number;
  ratio: number;
  clipped: number;
  entropy: number;
}

/** J and its gradient. */
export function objective(weights: PolicyWeights, lessons: readonly Lesson[]): Objective {
  const sums: Objective = { value: 0, gradient: new Map(), choices: 0, ratio: 0, clipped: 0, entropy: 0 };
  for (const { transcript, advantage } of lessons)
    for (const { choices } of transcript.moves)
      for (const choice of choices) addChoice(sums, choice, { weights, advantage, share: 1 / lessons.length });
  return sums;
}

interface Term {
  readonly weights: PolicyWeights;
  readonly advantage: number;
  readonly share: number;
}

function addChoice(sums: Objective, { options, chosen, logprob }: Choice, { weights, advantage, share }: Term): void {
  const shares = probabilities(weights, options);
  const ratio = Math.exp(Math.log(shares[chosen] ?? 0) - logprob);
  const held = Math.min(Math.max(ratio, knobs.clip.low), knobs.clip.high);
  const isClipped = ratio * advantage > held * advantage;
  const entropy = -shares.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
  sums.value += share * (Math.min(ratio * advantage, held * advantage) + knobs.entropy * entropy);
  sums.choices += 1;
  sums.ratio += ratio;
  sums.clipped += isClipped ? 1 : 0;
  sums.entropy += entropy;
  const slope = isClipped ? 0 : ratio * advantage;
  options.forEach(({ features }, at) => {
    const p = shares[at] ?? 0;
    // of the gain by p's logit, and of the entropy: dH / d logit = -p (log p + H)
    const byLogit = slope * ((at === chosen ? 1 : 0) - p) - knobs.entropy * (p > 0 ? p * (Math.log(p) + entropy) : 0);
    for (const [name, value] of Object.entries(features))
      sums.gradient.set(name, (sums.gradient.get(name) ?? 0) + share * byLogit * value);
  });
}

/** One step of Adam, upwards. A feature that was not met has no slope, and its moments fade as those of others do. */
function ascend({ weights, optimizer }: Pick<CataloguePolicy, 'weights' | 'optimizer'>, gradient: Gradient) {
  const { beta1, beta2, epsilon } = knobs.adam;
  const t = optimizer.t + 1;
  const next = { weights: { ...weights }, optimizer: { m: { ...optimizer.m }, v: { ...optimizer.v }, t } };
  for (const name of new Set([...Object.keys(optimizer.m), ...gradient.keys()])) {
    const slope = gradient.get(name) ?? 0;
    const m = beta1 * (optimizer.m[name] ?? 0) + (1 - beta1) * slope;
    const v = beta2 * (optimizer.v[name] ?? 0) + (1 - beta2) * slope ** 2;
    const move = m / (1 - beta1 ** t) / (Math.sqrt(v / (1 - beta2 ** t)) + epsilon);
    next.weights[name] = (weights[name] ?? 0) + knobs.learningRate * move;
    next.optimizer.m[name] = m;
    next.optimizer.v[name] = v;
  }
  return next;
}

function statsOf({ choices, ratio, clipped, entropy, gradient }: Objective) {
  const mean = (sum: number): number => (choices > 0 ? sum / choices : 0);
  const norm = Math.sqrt([...gradient.values()].reduce((sum, slope) => sum + slope ** 2, 0));
  return { ratio: mean(ratio), clipped: mean(clipped), entropy: mean(entropy), gradientNorm: norm };
}
