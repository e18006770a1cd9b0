import { z } from 'zod';
import { act, event, token } from './message.ts';

const isPlain = (text: string): boolean => {
  const { username, password, search, hash } = new URL(text);
  return username + password + search + hash === '';
};

/** Where a language model answers, and how it is asked. A key is never part of it: only the agent's process has one. */
export const endpoint = z.strictObject({
  /** Of an OpenAI-compatible API, as `http://127.0.0.1:8000/v1`. */
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'an http or https address is needed, as http://127.0.0.1:8000/v1' })
    .refine(isPlain, 'it must have no user, password, query or fragment: a key belongs in UPLIFT_AGENT_MIND_KEY'),
  model: z.string().min(1).max(256),
  /**
   * How a model calls tools: by the API's tool calls (`native`), or in its text, by a protocol that the prompt explains
   * (`text`). `auto`: native if the endpoint can.
   */
  calls: z.enum(['auto', 'native', 'text']).default('auto'),
  temperature: z.number().min(0).max(2).default(1),
  topP: z.number().positive().max(1).default(1),
  /** Most tokens of one answer. */
  answerTokens: z.int().min(64).max(1_000_000).default(8_192),
  /** Most tokens of a prompt and its answer together; null: what the endpoint says, or 32,768 if it does not. */
  contextTokens: z.int().min(2_048).nullable().default(null),
  /** Prices of the endpoint; 0: it costs nothing. */
  inputUsdPerMillion: z.number().min(0).max(1e6).default(0),
  outputUsdPerMillion: z.number().min(0).max(1e6).default(0),
});
export type Endpoint = z.infer<typeof endpoint>;

/** What one episode may use; what runs out first ends it. Its time is bounded by `episodeSeconds`. */
export const allowance = z.strictObject({
  /** Answers of the mind. */
  moves: z.int().min(1).max(1_000).default(24),
  toolCalls: z.int().min(1).max(10_000).default(200),
  /** Of all prompts and answers together. */
  tokens: z.int().min(1).max(1e9).default(2_000_000),
  /** By the prices of the endpoint; null: no limit. */
  usd: z.number().positive().max(1e6).nullable().default(null),
});
export type Allowance = z.infer<typeof allowance>;

/** What has been used of it. */
export const usage = z.strictObject({
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  usd: z.number().nonnegative(),
});
export type Usage = z.infer<typeof usage>;
export const noUsage: Usage = { promptTokens: 0, completionTokens: 0, usd: 0 };

/**
 * What can be learned from the moves of a mind: its `choices` among options, its `tokens` with the log-probabilities
 * that they were sampled with, or nothing.
 */
const learnable = z.enum(['choices', 'tokens', 'nothing']);
export type Learnable = z.infer<typeof learnable>;

const mind = { run: token, mind: token, endpoint: endpoint.nullable() };

/** conductor → agent, at its edge: does the mind of this run answer, and what can be learned from it? */
export const mindCheck = act('mind-check', { from: ['conductor'], to: { agent: '{run}.main' }, body: mind });
/** agent → conductor: it answers */
export const mindTold = event('mind-told', {
  from: ['agent'],
  to: { conductor: '{run}.main' },
  body: {
    run: token,
    learnable,
    /** Why nothing more can be learned from it, for people; empty if it is not `nothing`. */
    why: z.string().max(2_000),
  },
});
