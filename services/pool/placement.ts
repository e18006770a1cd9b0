import type { Turn } from '#kit/actor';
import type { Failure } from '#protocol/failure';
import { jobOf, jobRun } from '#protocol/job';
import { type PodPhase, podDelete } from '#protocol/pod';
import { change, end, move, order, type Place, placeOf, places, type State } from './place.ts';

/**
 * The rule of the pool: which pods there are, and which job gets which.
 *
 * P1 At most one live lease on a pod, and the tokens of a place rise.
 * P2 Wanted is what jobs need, those on a pod and those in the queue, between floor and ceiling; and what is there until it
 *    has been idle for `idleSeconds`. So it goes up at once and down late. No more pods than the ceiling was when the last
 *    one was ordered; one that might still exist counts.
 * P3 Oldest job first, to the pod that became ready last: so those that are not needed stay idle, and go, the longest idle
 *    first. A pod that has a job keeps it when it is too many.
 * P4 Every phase but `ready` has a deadline, after which the pod is ended; its end is asked for until it is known.
 */
const inPhase = (state: State, phases: readonly PodPhase[]): string[] =>
  places.filter((pod) => phases.includes(placeOf(state, pod).phase));

/** In the order in which they are given up. */
const live = ['creating', 'warming', 'ready', 'leased'] as const;
const existing: readonly PodPhase[] = [...live, 'draining', 'terminating'];
export const existingPods = (state: State): string[] => inPhase(state, existing);
export const isLive = (phase: PodPhase): boolean => live.some((one) => one === phase);

/** One that is there or will be. */
export const anyPod = (state: State): string =>
  live.toReversed().flatMap((phase) => inPhase(state, [phase]))[0] ?? 'p1';

/** After anything has changed: gives up what is too much, orders what is missing, pairs jobs with pods. */
export const settle = (state: State, turn: Turn): State =>
  lease(supplement(surplus(resize(state, turn), turn), turn), turn);

const livePods = (state: State): string[] => inPhase(state, live);

/** Longest first. Time in which the pool was away is no idleness: nobody could have brought a job. */
const idleTooLong = (state: State, { now }: Turn): string[] =>
  inPhase(state, ['ready'])
    .filter((pod) => now - Math.max(placeOf(state, pod).since, state.wokeAt) >= state.scale.idleSeconds * 1000)
    .toReversed()
    .toSorted((a, b) => placeOf(state, a).since - placeOf(state, b).since);

function resize(state: State, turn: Turn): State {
  const { floor, ceiling } = state.scale;
  const needed = inPhase(state, ['leased']).length + state.queue.length;
  const kept = livePods(state).length - idleTooLong(state, turn).length;
  return { ...state, wanted: Math.min(ceiling, Math.max(floor, needed, kept)) };
}

/** A pod that has a job ends when the job has ended. */
export function giveUp(state: State, pod: string, turn: Turn): State {
  return placeOf(state, pod).phase === 'leased'
    ? move(state, { pod, phase: 'draining', at: turn.now })
    : end(state, pod, { turn, failure: null });
}

function surplus(state: State, turn: Turn): State {
  const others = live.flatMap((phase) => inPhase(state, [phase]).toReversed());
  const inOrder = [...new Set([...idleTooLong(state, turn), ...others])];
  const tooMany = inOrder.slice(0, Math.max(0, inOrder.length - state.wanted));
  return tooMany.reduce((now, pod) => giveUp(now, pod, turn), state);
}

function supplement(state: State, turn: Turn): State {
  const missing = Math.max(0, state.wanted - existingPods(state).length);
  const next = inPhase(state, ['absent']).slice(0, missing);
  const ordered = next
    .filter((pod) => placeOf(state, pod).notBefore <= turn.now)
    .reduce((now, pod) => order(now, pod, turn), state);
  return { ...ordered, most: Math.max(ordered.most, existingPods(ordered).length) };
}

function lease(state: State, turn: Turn): State {
  const [job, ...queue] = state.queue;
  const [pod] = inPhase(state, ['ready']).toSorted((a, b) => placeOf(state, b).since - placeOf(state, a).since);
  if (!job || !pod) return state;
  const { generation, token: before } = placeOf(state, pod);
  const token = before + 1;
  turn.send(jobRun, { ...jobOf(job), pod, generation, token });
  const leased = { token, lease: { ...job, at: turn.now, heardAt: turn.now, cancelled: false, progress: 0 } };
  return lease(move({ ...state, queue }, { pod, phase: 'leased', at: turn.now, ...leased }), turn);
}

/** P4, seconds. A pod says about every second that it trains, and is asked by the evaluator after that. */
const deadlines = { creating: 120, warming: 180, silent: 120, beyondJob: 300, deleteAgain: 15 };

/** Ends what is overdue. Time in which the pool itself was away is not held against anybody. */
export function sweep(state: State, turn: Turn): State {
  const since = (from: number): number => (turn.now - Math.max(from, state.wokeAt)) / 1000;
  return existingPods(state).reduce((now, pod) => {
    const place = placeOf(now, pod);
    if (place.phase === 'terminating') return deleteAgain(now, pod, turn);
    const detail = overdue(place, since);
    return detail ? end(now, pod, { turn, failure: lost(`${pod} ${detail}`) }) : now;
  }, state);
}

const lost = (detail: string): Failure => ({ code: 'pod/lost', detail });

function overdue({ phase, since, lease }: Place, secondsFrom: (at: number) => number): string | null {
  const { creating, warming, silent, beyondJob } = deadlines;
  if (phase === 'creating' && secondsFrom(since) > creating) return `was not made in ${creating} s`;
  if (phase === 'warming' && secondsFrom(since) > warming) return `was not ready after ${warming} s`;
  if (!lease) return null;
  if (secondsFrom(lease.heardAt) > silent) return `has said nothing of job ${lease.job} for ${silent} s`;
  return secondsFrom(lease.at) > lease.seconds + beyondJob ? `did not end job ${lease.job}` : null;
}

function deleteAgain(state: State, pod: string, turn: Turn): State {
  const { askedAt, generation } = placeOf(state, pod);
  if (turn.now - askedAt < deadlines.deleteAgain * 1000) return state;
  turn.send(podDelete, { pod, generation });
  return change(state, pod, { askedAt: turn.now });
}

interface Listed {
  readonly pod: string;
  readonly generation: number;
  readonly running: boolean;
}

/** A process that no place knows of. */
export function isStray(state: State, { pod, generation }: Pick<Listed, 'pod' | 'generation'>): boolean {
  const { phase, generation: now } = placeOf(state, pod);
  return generation !== now || phase === 'absent';
}

/**
 * Compares with what the provider has. `askedAt`: whoever was made later need not be in the list. A process that is not
 * ours any more, or never was, is ended; a place is only this pool's, so no stranger is in the list.
 */
export function compare(
  state: State,
  listed: readonly Listed[],
  { turn, askedAt }: { turn: Turn; askedAt: number },
): State {
  for (const { pod, generation } of listed) {
    if (isStray(state, { pod, generation })) turn.send(podDelete, { pod, generation });
  }
  const runs = new Set(listed.filter(({ running }) => running).map(({ pod, generation }) => `${pod} ${generation}`));
  return inPhase(state, ['warming', 'ready', 'leased', 'draining'])
    .filter((pod) => placeOf(state, pod).madeAt < askedAt)
    .filter((pod) => !runs.has(`${pod} ${placeOf(state, pod).generation}`))
    .reduce((now, pod) => end(now, pod, { turn, failure: lost(`${pod} does not run any more`) }), state);
}
