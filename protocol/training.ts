import { z } from 'zod';
import { failure } from './failure.ts';
import { blobHash, token } from './message.ts';

/** Most tokens of an answer to a hidden item, whatever a job trained with; base models are measured with as many. */
export const answerTokens = 48;

/** How long a training may be allowed to take, seconds. */
export const allowance = z
  .number()
  .positive()
  .max(24 * 3_600);
/** What was measured, seconds. It is summed: what nobody can have measured may not make a sum that is no number. */
export const measured = z.number().nonnegative().max(1e9);

/** One optimizer step of a job: means over its completions (`reward`) and their tokens (`entropy`, `kl`, in nats). */
export const stepOfTraining = z.strictObject({
  step: z.int(),
  reward: z.number(),
  loss: z.number(),
  entropy: z.number(),
  kl: z.number(),
  tokens: z.int(),
  seconds: z.number(),
});
export type StepOfTraining = z.infer<typeof stepOfTraining>;

/** What a training left behind. */
export const trained = {
  pod: token,
  /** Of all weights, as safetensors; null: the job could not be run to its end, by its own fault. */
  weights: blobHash.nullable(),
  /** What the job did wrong; null: nothing, and there are weights. */
  fault: failure.nullable(),
  curve: z.array(stepOfTraining),
  /** Of the training alone. */
  seconds: measured,
};
