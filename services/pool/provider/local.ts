import { z } from 'zod';
import { Failed } from '#kit/boundary';
import type { PoolConfig } from '../config.ts';
import type { Incarnation, Provider } from './provider.ts';

const listed = z.strictObject({
  pods: z.array(z.strictObject({ pod: z.string(), generation: z.int(), running: z.boolean() })),
});
type Request = Pick<RequestInit, 'method' | 'body' | 'signal'>;

/** Pods as processes on this machine, created by its launcher (`deploy/local/pods.ts`). */
export function local({ providerUrl, providerToken }: PoolConfig): Provider {
  const ask = async (path: string, request: Request): Promise<Response> => {
    if (!providerUrl || !providerToken)
      throw new Failed(
        'edge/refused',
        'this pool has no provider of pods: set UPLIFT_POOL_PROVIDER_URL and UPLIFT_POOL_PROVIDER_TOKEN, or start everything with "uplift up"',
      );
    const headers = { authorization: `Bearer ${providerToken}`, 'content-type': 'application/json' };
    const response = await fetch(new URL(path, providerUrl), { ...request, headers });
    if (response.ok) return response;
    const said = `${request.method} ${path}: ${response.status} ${await response.text()}`;
    throw response.status < 500 ? new Failed('edge/refused', said) : new Error(said);
  };
  return {
    create: async (pod, signal) => void (await ask('/pods', { method: 'POST', body: JSON.stringify(pod), signal })),
    delete: async (pod, signal) => void (await ask(`/pods/${nameOf(pod)}`, { method: 'DELETE', signal })),
    list: async (signal) => listed.parse(await (await ask('/pods', { method: 'GET', signal })).json()).pods,
  };
}

const nameOf = ({ pod, generation }: Incarnation): string => `${pod}-${generation}`;
