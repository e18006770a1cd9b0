import { z } from 'zod';
import { failure } from './failure.ts';
import { blobHash, token } from './message.ts';

/** Most tokens of an answer to a hidden item, whatever the job trained with; the same when base models are measured. */
export const answerTokens = 48;

/** How long a training is allowed to take, seconds. */
export const secondsAllowed = z
  .number()
  .positive()
  .max(24 * 3_600);
/** A measured duration, seconds. It is bounded, so that a sum of impossible figures is still a number. */
export const secondsMeasured = z.number().nonnegative().max(1e9);

/**
 * One optimizer step of a job: means over its completions (`reward`) and their tokens (`entropy`, and `kl` to the base
 * model, in nats).
 */
export const trainingStep = z.strictObject({
  step: z.int(),
  reward: z.number(),
  loss: z.number(),
  entropy: z.number(),
  kl: z.number(),
  tokens: z.int(),
  seconds: z.number(),
});
export type TrainingStep = z.infer<typeof trainingStep>;

/** The result of a training. */
export const trained = {
  pod: token,
  /** All weights, as safetensors; null: the job failed in training, by its own fault. */
  weights: blobHash.nullable(),
  /** What the job did wrong; null: nothing. */
  fault: failure.nullable(),
  curve: z.array(trainingStep),
  /** Of the training alone, without loading or storing. */
  seconds: secondsMeasured,
};
