import { Failed } from '#kit/boundary';
import { log } from '#kit/log';
import type { Lease } from '#protocol/job';

/** What a pod process is, and what it remembers between acts. It is lost with the process. */
export interface Holding {
  /** Counts the processes at this place, from 1. */
  readonly generation: number;
  /** The greatest lease token seen so far; acts with a smaller one come too late. */
  token: number;
  /** The model that was trained last, which answers the next prompts. */
  weights: { readonly hash: string; readonly bytes: Uint8Array } | null;
}

/**
 * Whether an act is meant for this process, under its latest lease. Throws, so that the act is retried, if it is meant
 * for a later process, which will be here soon.
 */
export function isMine(holding: Holding, meant: Pick<Lease, 'pod' | 'generation'> & { token?: number }): boolean {
  const { pod, generation, token = holding.token } = meant;
  if (generation > holding.generation)
    throw new Failed('edge/threw', `process ${generation} at ${pod} is wanted, this is ${holding.generation}`);
  if (generation === holding.generation && token >= holding.token) {
    holding.token = token;
    return true;
  }
  log.info({ code: 'pod/superseded', pod, generation, token }, 'ignored: meant for an earlier process or lease');
  return false;
}
