import type { Call } from '#kit/actor';
import { log } from '#kit/log';
import type { Failure } from '#protocol/failure';
import type { BodyOf } from '#protocol/message';
import { type podCreate, podCreated, type podDelete, podGone, podLost, type podsList, podsListed } from '#protocol/pod';
import type { PoolConfig } from './config.ts';
import { providerOf } from './provider/registry.ts';

type Incarnation = BodyOf<typeof podCreate>;
type Telling = Pick<Call, 'send'>;

/** Without any knob it says what is missing whenever a pod is asked for. */
let name: PoolConfig['provider'] = 'local';
let provider = providerOf({ provider: name });
export const supplyFrom = (config: PoolConfig): void => {
  name = config.provider;
  provider = providerOf(config);
};
export const providerName = (): string => name;

/** Edge: the provider makes a pod. */
export async function create(body: Incarnation, call: Call): Promise<void> {
  await provider.create(body, call.signal);
  call.send(podCreated, body);
}

/** Edge: the provider ends a pod. */
export async function remove(body: BodyOf<typeof podDelete>, call: Call): Promise<void> {
  await provider.delete(body, call.signal);
  call.send(podGone, body);
}

/** Edge: all pods that the provider has. */
export async function list({ tick }: BodyOf<typeof podsList>, call: Call): Promise<void> {
  const listed = await provider.list(call.signal);
  call.send(podsListed, { tick, listed: listed.map((one) => ({ ...one })) });
}

/** It may be there all the same, and is deleted. */
export function notCreated(body: Incarnation, failure: Failure, call: Telling): void {
  log.error({ ...body, failure }, 'the provider did not make a pod');
  call.send(podLost, { ...body, failure });
}

/** Nothing is told: the pool asks again for as long as it has not heard that a pod is gone. */
export const notDeleted = (body: Incarnation, failure: Failure): void =>
  log.error({ ...body, failure }, 'the provider did not end a pod; it is asked again');

/** What is not known of all pods is known of none. */
export const notListed = (_: unknown, failure: Failure): void =>
  log.error({ failure }, 'the provider did not list its pods; it is asked again');
