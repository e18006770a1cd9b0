import { z } from 'zod';
import { commonKnobs } from '#kit/config';

export const knobs = {
  ...commonKnobs,
  /** Key of the endpoint at which a language model answers; default: OPENAI_API_KEY. Nothing else ever holds it. */
  mindKey: z.string().optional(),
  /** A file that contains only that key; read if no variable holds it. */
  mindKeyFile: z.string().optional(),
  /**
   * A folder for the adapters of policy versions. The server of the endpoint must read it under the same path; without
   * it, a run can only use the model as it is.
   */
  adapterFolder: z.string().optional(),
  /** Time for one answer of a language model with all its retries, seconds; less than a move may take. */
  answerSeconds: z.number().positive().max(3_600).default(100),
};
export type AgentConfig = Pick<
  z.infer<z.ZodObject<typeof knobs>>,
  'mindKey' | 'mindKeyFile' | 'adapterFolder' | 'answerSeconds'
>;
