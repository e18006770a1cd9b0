import { z } from 'zod';
import { failure } from './failure.ts';
import { finding } from './finding.ts';
import { measured, stepOfTraining } from './training.ts';

const option = z.strictObject({
  name: z.string(),
  /** A logit that nothing learned changes: what the mind thinks of it beforehand. */
  prior: z.number(),
  features: z.record(z.string(), z.number()),
});
export type Option = z.infer<typeof option>;

/**
 * One choice of a policy that is a softmax over options, each described by named features: what is needed to recompute
 * its probability under other weights. `logit = prior + Σ weight[name] · value`.
 */
const choice = z.strictObject({
  /** What was chosen: a base model, a learning rate. */
  point: z.string(),
  options: z.array(option).min(1),
  chosen: z.int().nonnegative(),
  /** Of the chosen option, when it was chosen; in nats. */
  logprob: z.number(),
});
export type Choice = z.infer<typeof choice>;

/** One call of a tool, and what came back. */
const toolCall = z.strictObject({
  tool: z.enum([
    'list_files',
    'read_file',
    'write_file',
    'edit_file',
    'get_baseline_scores',
    'run_experiment',
    'await_experiments',
    'validate',
    'submit',
    'finish',
  ]),
  input: z.record(z.string(), z.string()),
  /** null: it is not known yet. */
  result: z.string().nullable(),
});
export type ToolCall = z.infer<typeof toolCall>;

/** More than any task allows: whoever makes numbers up fills no record with them. */
const mostExperiments = 64;
/** The how-manieth of its episode. */
export const experimentNumber = z.int().positive().max(mostExperiments);
export const experimentsAllowed = z.int().nonnegative().max(mostExperiments);

const ofTraining = {
  experiment: experimentNumber,
  /** Some steps of the training, from the first to the last. */
  curve: z.array(stepOfTraining),
  /** Of the training alone. */
  seconds: measured,
};
/** What came of an experiment: all that its agent is told. Nothing of it depends on the hidden items. */
export const experimentResult = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('invalid'), experiment: experimentNumber, findings: z.array(finding).min(1) }),
  z.strictObject({ outcome: z.literal('failed'), ...ofTraining, failure }),
  z.strictObject({
    outcome: z.literal('trained'),
    ...ofTraining,
    /** Mean over the probe items, 0 to 1, and how many they are. */
    score: z.number(),
    items: z.int().positive(),
  }),
]);
export type ExperimentResult = z.infer<typeof experimentResult>;

const move = z.strictObject({
  /** What the mind says beside its calls. */
  text: z.string(),
  choices: z.array(choice),
  calls: z.array(toolCall),
  /** Of the `validate` or `submit` that the move before ended with; null: it ended with none. */
  findings: z.array(finding).nullable(),
  /** What had come back of experiments before the move. */
  experiments: z.array(experimentResult),
});
export type Move = z.infer<typeof move>;

/** All moves of an episode, in their order: what a learner learns from and a person reads. */
export const transcript = z.strictObject({ mind: z.string(), policy: z.int(), moves: z.array(move) });
export type Transcript = z.infer<typeof transcript>;

/** Weights of a linear policy by the name of their feature; one that is not there is 0. */
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
