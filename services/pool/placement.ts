import type { Turn } from '#kit/actor';
import type { Failure } from '#protocol/failure';
import { jobOf, jobRun } from '#protocol/job';
import { type PodPhase, podDelete } from '#protocol/pod';
import { change, end, move, order, type Place, placeOf, places, type State } from './place.ts';

/**
 * The rule of the pool: which pods there are, and which job gets which pod.
 *
 * P1 There is at most one live lease on a pod, and the tokens of a place rise.
 * P2 The number of pods wanted is what the jobs on pods and in the queue need, between floor and ceiling; but a pod
 *    stays until it has been idle for `idleSeconds`. So it rises at once and falls late. A pod that might still exist
 *    counts against the ceiling.
 * P3 The oldest job goes to the pod that became ready last: so pods that are not needed stay idle, and end, the longest
 *    idle first. A pod that is too many but has a job finishes it.
 * P4 Every phase but `ready` has a deadline, after which the pod is ended. Its deletion is requested until it is
 *    confirmed.
 */
const inPhase = (state: State, phases: readonly PodPhase[]): string[] =>
  places.filter((pod) => phases.includes(placeOf(state, pod).phase));

/** In the order in which pods are given up. */
const live = ['creating', 'warming', 'ready', 'leased'] as const;
const existing: readonly PodPhase[] = [...live, 'draining', 'terminating'];
export const existingPods = (state: State): string[] => inPhase(state, existing);
export const isLive = (phase: PodPhase): boolean => live.some((one) => one === phase);

/** A pod that exists or soon will. */
export const anyPod = (state: State): string =>
  live.toReversed().flatMap((phase) => inPhase(state, [phase]))[0] ?? 'p1';

/** After any change: gives up pods that are too many, orders missing ones, and pairs jobs with pods. */
export const settle = (state: State, turn: Turn): State =>
  lease(supplement(surplus(resize(state, turn), turn), turn), turn);

const livePods = (state: State): string[] => inPhase(state, live);

/** Longest idle first. Time while the pool was away does not count: no job could have come. */
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

/** Ends a pod; one that has a job ends when its job has ended. */
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

/** P4, seconds. A pod reports about every second while it trains; after that the evaluator asks it. */
const deadlines = { creating: 120, warming: 180, silent: 120, beyondJob: 300, deleteAgain: 15 };

/** Ends pods that are overdue. Time while the pool itself was away does not count. */
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
  if (phase === 'creating' && secondsFrom(since) > creating) return `was not created within ${creating} s`;
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

/** Whether this process belongs to no place. */
export function isStray(state: State, { pod, generation }: Pick<Listed, 'pod' | 'generation'>): boolean {
  const { phase, generation: now } = placeOf(state, pod);
  return generation !== now || phase === 'absent';
}

/**
 * Compares with the provider's list, which was requested at `askedAt`: a pod that was created later need not be on it.
 * A listed process that is not, or no longer, ours is deleted: places belong to this pool alone, so it can be nobody
 * else's.
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
    .reduce((now, pod) => end(now, pod, { turn, failure: lost(`${pod} is no longer running`) }), state);
}
