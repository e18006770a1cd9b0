import { Failed } from '#kit/boundary';
import { log } from '#kit/log';
import type { Lease } from '#protocol/job';

/** What a pod process is, and what it remembers between its acts; all of it goes with the process. */
export interface Holding {
  /** The how-manieth process at its place. */
  readonly generation: number;
  /** The greatest token it has seen: whoever comes with a lesser one comes too late. */
  token: number;
  /** What was trained last, which is what is asked next. */
  weights: { readonly hash: string; readonly bytes: Uint8Array } | null;
}

/**
 * Whether an act is meant for this process, under a lease that has not been followed by another. What is meant for a
 * later process is handed back: that one will be here.
 */
export function isMine(holding: Holding, meant: Pick<Lease, 'pod' | 'generation'> & { token?: number }): boolean {
  const { pod, generation, token = holding.token } = meant;
  if (generation > holding.generation)
    throw new Failed('edge/threw', `process ${generation} at ${pod} is wanted, this is ${holding.generation}`);
  if (generation === holding.generation && token >= holding.token) {
    holding.token = token;
    return true;
  }
  log.info(
    { code: 'pod/superseded', pod, generation, token },
    'what was meant for an earlier process or lease is not done',
  );
  return false;
}
