import type { Call } from '#kit/actor';
import { log } from '#kit/log';
import type { Failure } from '#protocol/failure';
import type { BodyOf } from '#protocol/message';
import { type podCreate, podCreated, type podDelete, podGone, podLost, type podsList, podsListed } from '#protocol/pod';
import type { PoolConfig } from './config.ts';
import { providerOf } from './provider/registry.ts';

type Incarnation = BodyOf<typeof podCreate>;
type Telling = Pick<Call, 'send'>;

/** Until `supplyFrom` is called, every request fails, and says what is missing. */
let name: PoolConfig['provider'] = 'local';
let provider = providerOf({ provider: name });
export const supplyFrom = (config: PoolConfig): void => {
  name = config.provider;
  provider = providerOf(config);
};
export const providerName = (): string => name;

/** Edge: has the provider create a pod. */
export async function create(body: Incarnation, call: Call): Promise<void> {
  await provider.create(body, call.signal);
  call.send(podCreated, body);
}

/** Edge: has the provider delete a pod. */
export async function remove(body: BodyOf<typeof podDelete>, call: Call): Promise<void> {
  await provider.delete(body, call.signal);
  call.send(podGone, body);
}

/** Edge: asks the provider for all its pods. */
export async function list({ tick }: BodyOf<typeof podsList>, call: Call): Promise<void> {
  const listed = await provider.list(call.signal);
  call.send(podsListed, { tick, listed: listed.map((one) => ({ ...one })) });
}

/** The pod may exist all the same, so the pool will delete it. */
export function notCreated(body: Incarnation, failure: Failure, call: Telling): void {
  log.error({ ...body, failure }, 'the provider did not create a pod');
  call.send(podLost, { ...body, failure });
}

/** Sends nothing: the pool repeats the request until it hears that the pod is gone. */
export const notDeleted = (body: Incarnation, failure: Failure): void =>
  log.error({ ...body, failure }, 'the provider did not delete a pod; it will be asked again');

/** Sends nothing: an incomplete list is no list. */
export const notListed = (_: unknown, failure: Failure): void =>
  log.error({ failure }, 'the provider did not list its pods; it will be asked again');
