import { type CataloguePolicy, cataloguePolicy } from '#protocol/policy';
import { type Choice, type PolicyWeights, probabilities } from '#protocol/transcript';
import type { Lesson, Trainer } from './trainer.ts';

/**
 * An option was chosen with probability p_old in an episode of advantage A; the current policy would choose it with p:
 *
 *   ratio = p / p_old                                                importance sampling
 *   gain  = min(ratio A, clip(ratio, 0.8, 1.2) A)                    Schulman et al. 2017, equation 7
 *   gain  = max(gain, 3 A) where A < 0                               dual clip: Ye et al. 2020, equation 5
 *   J     = 1/N Σ_episodes Σ_choices gain                            maximized
 *   d log p / d w = φ(chosen) - Σ_options p φ                        φ: the features of an option
 *
 * by ascent with Adam (Kingma and Ba 2015, algorithm 1). The order of all sums follows from the lessons alone: the same
 * lessons give the same weights, bit for bit.
 *
 * Adam divides a slope by its usual size. If all episodes of a group have nearly the same reward, that would turn the
 * noise between them into a full step, and a policy whose jobs are all valid would unlearn to read the spec. So epsilon
 * is not tiny here: slopes below it make smaller steps.
 */
const knobs = {
  clip: { low: 0.8, high: 1.2, most: 3 },
  learningRate: 1,
  adam: { beta1: 0.8, beta2: 0.99, epsilon: 0.02 },
} as const;

type Gradient = Map<string, number>;

export const catalogue: Trainer = {
  async open() {
    return bytesOf({ version: 0, weights: {}, optimizer: { m: {}, v: {}, t: 0 }, position: 0 });
  },
  async update(policy, { version, position, lessons }) {
    const before = cataloguePolicy.parse(JSON.parse(Buffer.from(policy).toString('utf8')));
    const slopes = objective(before.weights, lessons);
    const after = ascend(before, slopes.gradient);
    return { policy: bytesOf({ version, ...after, position }), ...statsOf(slopes) };
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
  kl: number;
}

/** J and its gradient. */
export function objective(weights: PolicyWeights, lessons: readonly Lesson[]): Objective {
  const sums: Objective = { value: 0, gradient: new Map(), choices: 0, ratio: 0, clipped: 0, entropy: 0, kl: 0 };
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
  const held = clip(ratio, advantage);
  const entropy = -shares.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
  sums.value += share * held * advantage;
  sums.choices += 1;
  sums.ratio += ratio;
  sums.clipped += held === ratio ? 0 : 1;
  sums.entropy += entropy;
  // E[r - 1 - ln r] under the policy that chose is the divergence, and each term is at least 0
  sums.kl += ratio - 1 - Math.log(ratio);
  const slope = held === ratio ? ratio * advantage : 0;
  options.forEach(({ features }, at) => {
    const byLogit = slope * ((at === chosen ? 1 : 0) - (shares[at] ?? 0));
    for (const [name, value] of Object.entries(features))
      sums.gradient.set(name, (sums.gradient.get(name) ?? 0) + share * byLogit * value);
  });
}

/** The clipped ratio: bounded above for a positive advantage; below, and by the dual clip, for a negative one. */
function clip(ratio: number, advantage: number): number {
  const { low, high, most } = knobs.clip;
  return advantage > 0 ? Math.min(ratio, high) : Math.min(Math.max(ratio, low), most);
}

/** One step of Adam, upwards. A feature that did not occur has slope 0, and its moments decay as usual. */
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

function statsOf({ value, choices, ratio, clipped, entropy, kl, gradient }: Objective) {
  const mean = (sum: number): number => (choices > 0 ? sum / choices : 0);
  const gradientNorm = Math.sqrt([...gradient.values()].reduce((sum, slope) => sum + slope ** 2, 0));
  return {
    ...{ ratio: mean(ratio), clipped: mean(clipped), entropy: mean(entropy), kl: mean(kl) },
    ...{ gradientNorm, loss: 0 - value },
  };
}
