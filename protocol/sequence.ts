import type { Move, Sampled } from './transcript.ts';

/**
 * What a trainer of a language model learns from: all tokens of one conversation, in order. The three arrays have the
 * same length N.
 */
export interface Sequence {
  /** [N] Ids as the endpoint gave them. */
  readonly tokens: readonly number[];
  /** [N] Log-probability when the token was sampled, nats; 0 where the mask is 0. */
  readonly logprobs: readonly number[];
  /** [N] 1: the policy sampled it; 0: it was given to it. */
  readonly mask: readonly (0 | 1)[];
}

interface Growing {
  readonly tokens: number[];
  readonly logprobs: number[];
  readonly mask: (0 | 1)[];
}

/**
 * The sequences of an episode. A move continues the last sequence if its prompt begins with all of it, else it begins
 * another; a move without tokens is in none. Throws if a move claims to continue what is not there.
 */
export function sequencesOf(moves: readonly Pick<Move, 'sampled'>[]): Sequence[] {
  const all: Growing[] = [];
  for (const [at, { sampled }] of moves.entries()) {
    if (sampled === null) continue;
    if (sampled.kept === 0) all.push({ tokens: [], logprobs: [], mask: [] });
    const last = all.at(-1);
    if (last?.tokens.length !== sampled.kept)
      throw new Error(`move ${at} keeps ${sampled.kept} tokens of a sequence of ${last?.tokens.length ?? 0}`);
    extend(last, sampled);
  }
  return all;
}

// not push(...tokens): a prompt may have more tokens than a call may have arguments
function extend(sequence: Growing, { prompt, completion, logprobs }: Sampled): void {
  if (logprobs.length !== completion.length)
    throw new Error(`${completion.length} tokens were sampled, but ${logprobs.length} log-probabilities are stored`);
  for (const token of prompt) grow(sequence, { token, logprob: 0, sampled: 0 });
  for (const [at, token] of completion.entries()) grow(sequence, { token, logprob: logprobs[at] ?? 0, sampled: 1 });
}

interface Grown {
  readonly token: number;
  readonly logprob: number;
  readonly sampled: 0 | 1;
}
function grow(sequence: Growing, { token, logprob, sampled }: Grown): void {
  sequence.tokens.push(token);
  sequence.logprobs.push(logprob);
  sequence.mask.push(sampled);
}

/** An answer as an endpoint gave it: all ids of its prompt and of itself, and their log-probabilities. */
export interface Captured extends Pick<Sampled, 'completion' | 'logprobs'> {
  readonly prompt: readonly number[];
}

/** The same as a move stores it, after these moves: without what its prompt shares with their last sequence. */
export function sampledAfter(moves: readonly Pick<Move, 'sampled'>[], { prompt, ...answer }: Captured): Sampled {
  const before = sequencesOf(moves).at(-1)?.tokens ?? [];
  const kept = before.every((token, at) => prompt[at] === token) ? before.length : 0;
  return { kept, prompt: prompt.slice(kept), ...answer };
}
