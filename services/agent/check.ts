import type { Call } from '#kit/actor';
import type { BodyOf } from '#protocol/message';
import { type mindCheck, mindTold } from '#protocol/mind';
import { mindOf } from './minds.ts';

/** Edge: asks the mind of a run whether it can play, before anything is paid for. */
export async function checkMind({ run, mind, endpoint }: BodyOf<typeof mindCheck>, call: Call): Promise<void> {
  call.send(mindTold, { run, ...(await mindOf(mind).check(endpoint, call.signal)) });
}
