import { z } from 'zod';
import { failure } from './failure.ts';
import { finding } from './finding.ts';
import { noUsage, usage } from './mind.ts';
import { secondsMeasured, trainingStep } from './training.ts';

const option = z.strictObject({
  name: z.string(),
  /** A fixed logit, which learning does not change: the mind's initial preference. */
  prior: z.number(),
  features: z.record(z.string(), z.number()),
});
export type Option = z.infer<typeof option>;

/**
 * One choice of a policy that is a softmax over options, each described by named features. It holds what is needed to
 * recompute the probability under other weights: `logit = prior + Σ weight[name] · value`.
 */
const choice = z.strictObject({
  /** What the choice is about: the base model, the learning rate. */
  point: z.string(),
  options: z.array(option).min(1),
  chosen: z.int().nonnegative(),
  /** Log-probability of the chosen option when it was chosen, nats. */
  logprob: z.number(),
});
export type Choice = z.infer<typeof choice>;

/** One call of a tool, and what came back. */
const toolCall = z.strictObject({
  /** As it was asked for; there may be no such tool. */
  tool: z.string().max(128),
  input: z.record(z.string(), z.string()),
  /** null: not known yet. */
  result: z.string().nullable(),
});
export type ToolCall = z.infer<typeof toolCall>;

/** More than any task allows; it bounds how large a record can become. */
const mostExperiments = 64;
/** Counts the experiments of an episode, from 1. */
export const experimentNumber = z.int().positive().max(mostExperiments);
export const experimentsAllowed = z.int().nonnegative().max(mostExperiments);

const ofTraining = {
  experiment: experimentNumber,
  /** Some steps of the training, from the first to the last. */
  curve: z.array(trainingStep),
  /** Of the training alone. */
  seconds: secondsMeasured,
};
/** The result of an experiment: all that its agent is told. None of it depends on the hidden items. */
export const experimentResult = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('invalid'), experiment: experimentNumber, findings: z.array(finding).min(1) }),
  z.strictObject({ outcome: z.literal('failed'), ...ofTraining, failure }),
  z.strictObject({
    outcome: z.literal('trained'),
    ...ofTraining,
    /** Mean over the probe items, 0 to 1, and their number. */
    score: z.number(),
    items: z.int().positive(),
  }),
]);
export type ExperimentResult = z.infer<typeof experimentResult>;

/**
 * The tokens of a move as the endpoint saw and sampled them; they are never tokenised again. All moves of an episode are
 * a sequence as long as each prompt begins with everything before it (`sequencesOf` in `sequence.ts`).
 */
const sampled = z.strictObject({
  /** Tokens that the prompt begins with and that are known: those of all moves of the sequence, or 0: it begins one. */
  kept: z.int().nonnegative(),
  /** Ids of the tokens of the prompt after those. */
  prompt: z.array(z.int().nonnegative()),
  /** Ids of the tokens of the answer. */
  completion: z.array(z.int().nonnegative()),
  /** Log-probability of each of them when it was sampled, nats. */
  logprobs: z.array(z.number()),
});
export type Sampled = z.infer<typeof sampled>;

const move = z.strictObject({
  /** What the mind says, besides its calls. */
  text: z.string(),
  /** What it thought before, if its endpoint tells. */
  thinking: z.string().default(''),
  choices: z.array(choice),
  /** The model that answered, as its endpoint names it; null: the mind is no language model. */
  model: z.string().nullable().default(null),
  usage: usage.default(noUsage),
  /** null: nothing can be learned from its tokens, because the endpoint did not give all of this. */
  sampled: sampled.nullable().default(null),
  calls: z.array(toolCall),
  /** Of the `validate` or `submit` that the previous move ended with; null: it ended with neither. */
  findings: z.array(finding).nullable(),
  /** Results of experiments that had come back before the move. */
  experiments: z.array(experimentResult),
});
export type Move = z.infer<typeof move>;

/** All moves of an episode, in order: what a learner learns from and a person reads. */
export const transcript = z.strictObject({ mind: z.string(), policy: z.int(), moves: z.array(move) });
export type Transcript = z.infer<typeof transcript>;

/** Weights of a linear policy by feature; a missing one is 0. */
export type PolicyWeights = Readonly<Record<string, number>>;

/** The probability of each option under these weights. */
export function probabilities(weights: PolicyWeights, options: readonly Option[]): number[] {
  const logits = options.map(({ prior, features }) =>
    Object.entries(features).reduce((sum, [name, value]) => sum + (weights[name] ?? 0) * value, prior),
  );
  const most = Math.max(...logits);
  const shares = logits.map((logit) => Math.exp(logit - most));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}
