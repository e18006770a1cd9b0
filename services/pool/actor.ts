import { actor, type Turn } from '#kit/actor';
import { jobCancel, jobProgress, jobSubmit, leaseEnded } from '#protocol/job';
import {
  podCreate,
  podCreated,
  podDelete,
  podDrain,
  podGone,
  podLost,
  podReady,
  podsList,
  podsListed,
  podsScale,
  poolTick,
} from '#protocol/pod';
import { passedOn, probePod, probePool } from '#protocol/probe';
import { version } from '#protocol/version';
import { countTurn, showing } from './counting.ts';
import {
  change,
  end,
  keyOf,
  move,
  nothing,
  type Place,
  placeOf,
  places,
  present,
  remember,
  type State,
  state,
  warm,
} from './place.ts';
import { anyPod, compare, existingPods, giveUp, isLive, settle, sweep } from './placement.ts';
import { secondsOf, show } from './show.ts';
import { create, list, notCreated, notDeleted, notListed, remove } from './supply.ts';

const tickSeconds = 1;
/** If a tick comes later than this, the pool was away. */
const lateMs = 5_000;
const listAgainMs = 30_000;

/**
 * Every handler ends with this: settles jobs and pods, schedules the next tick if there is anything to watch, shows
 * what changed.
 */
function after(before: State, changed: State, turn: Turn): State {
  return show(ticking(settle(changed, turn), turn), before, turn);
}

/** Keeps exactly one tick scheduled: ticks are numbered, and only the expected one counts. A lost tick is replaced. */
function ticking(state: State, turn: Turn): State {
  const isIdle = state.wanted === 0 && state.queue.length === 0 && existingPods(state).length === 0;
  if (isIdle || (state.tickDue > 0 && turn.now < state.tickDue + listAgainMs)) return state;
  const tick = state.tick + 1;
  turn.later(tickSeconds, poolTick, { tick });
  const wokeAt = state.tickDue > 0 ? turn.now : state.wokeAt;
  return { ...state, tick, tickDue: turn.now + tickSeconds * 1000, wokeAt };
}

/** Asks the provider for a list of pods, unless one is on its way. */
function look(state: State, turn: Turn): State {
  if (state.asking.tick > 0 && turn.now - state.asking.at < listAgainMs) return state;
  turn.send(podsList, { tick: state.tick });
  return { ...state, asking: { tick: state.tick, at: turn.now } };
}

type Claim = { pod: string; generation: number; token: number; job: string; run: string };

/** The place that a message under a lease is about, if that lease is the current one. */
function leased(state: State, { pod, generation, token, ...job }: Claim): Place | undefined {
  const place = present(state, { pod, generation });
  return place?.lease && place.token === token && keyOf(place.lease) === keyOf(job) ? place : undefined;
}

export const pool = actor('pool', state, nothing)
  .counts(countTurn)
  .shows(showing)
  .on(podsScale, (state, { floor, ceiling, idleSeconds }, turn) => {
    const most = Math.min(ceiling, places.length);
    return after(state, { ...state, scale: { floor: Math.min(floor, most), ceiling: most, idleSeconds } }, turn);
  })
  .on(podDrain, (state, { pod }, turn) => {
    const { phase } = placeOf(state, pod);
    return isLive(phase) ? after(state, giveUp(state, pod, turn), turn) : state;
  })
  .on(podCreated, (state, { pod, generation }, turn) => {
    if (present(state, { pod, generation })?.phase !== 'creating') return state;
    return after(state, warm(state, pod, turn), turn);
  })
  .on(podReady, (state, { pod, generation, ...proof }, turn) => {
    if (present(state, { pod, generation })?.phase !== 'warming') return state;
    const unfit = `${pod} is uplift ${proof.version}, this is ${version}`;
    const ready =
      proof.version === version
        ? move(state, { pod, phase: 'ready', at: turn.now, strikes: 0, failure: null })
        : end(state, pod, { turn, failure: { code: 'pod/unfit', detail: unfit } });
    return after(state, ready, turn);
  })
  .on(podLost, (state, { pod, generation, failure }, turn) => {
    const place = present(state, { pod, generation });
    if (!place || place.phase === 'terminating') return state;
    return after(state, end(state, pod, { turn, failure }), turn);
  })
  .on(podGone, (state, { pod, generation }, turn) => {
    const place = present(state, { pod, generation });
    if (place?.phase !== 'terminating') return state;
    const { podSeconds, usefulSeconds } = secondsOf(place, turn.now);
    const gone = move(state, { pod, phase: 'absent', at: turn.now });
    const totals = { podSeconds: state.podSeconds + podSeconds, usefulSeconds: state.usefulSeconds + usefulSeconds };
    return after(state, { ...gone, ...totals }, turn);
  })
  .on(jobSubmit, (state, job, turn) => {
    const leases = places.flatMap((pod) => placeOf(state, pod).lease ?? []);
    const known = [...state.ended, ...[...state.queue, ...leases].map(keyOf)];
    if (known.includes(keyOf(job))) return state;
    return after(state, { ...state, queue: [...state.queue, { ...job, losses: 0, queuedAt: turn.now }] }, turn);
  })
  .on(jobCancel, (state, job, turn) => {
    const queue = state.queue.filter((one) => keyOf(one) !== keyOf(job));
    const cancelled = places.reduce(
      (now, pod) => {
        const { lease } = placeOf(now, pod);
        return lease && keyOf(lease) === keyOf(job) ? change(now, pod, { lease: { ...lease, cancelled: true } }) : now;
      },
      remember({ ...state, queue }, job),
    );
    return after(state, cancelled, turn);
  })
  .on(jobProgress, (state, told, turn) => {
    const place = leased(state, told);
    if (!place?.lease) return state;
    const progress = told.steps > 0 ? told.step / told.steps : 0;
    return after(state, change(state, told.pod, { lease: { ...place.lease, heardAt: turn.now, progress } }), turn);
  })
  .on(leaseEnded, (state, { seconds, ...told }, turn) => {
    const place = leased(state, told);
    if (!place) return state;
    const { pod } = told;
    const done = { lease: null, jobs: place.jobs + 1, usefulSeconds: place.usefulSeconds + seconds };
    const free = change(remember(state, told), pod, done);
    const next =
      place.phase === 'draining'
        ? end(free, pod, { turn, failure: null })
        : move(free, { pod, phase: 'ready', at: turn.now });
    return after(state, next, turn);
  })
  .on(poolTick, (state, { tick }, turn) => {
    if (tick !== state.tick || state.tickDue === 0) return state;
    const wokeAt = turn.now - state.tickDue > lateMs ? turn.now : state.wokeAt;
    const due = { ...state, tickDue: 0, wokeAt };
    return after(state, look(sweep(due, turn), turn), turn);
  })
  .on(podsListed, (state, { tick, listed }, turn) => {
    if (tick !== state.asking.tick) return state;
    const heard = { ...state, asking: { tick: 0, at: 0 } };
    return after(state, compare(heard, listed, { turn, askedAt: state.asking.at }), turn);
  })
  .on(probePool, (state, probe, turn) => {
    turn.send(probePod, { ...passedOn(probe, 'pool', turn.now), pod: anyPod(state) });
    return state;
  })
  .edge(podCreate, create, { failed: notCreated, seconds: 60, slots: 4 })
  .edge(podDelete, remove, { failed: notDeleted, seconds: 60, slots: 4 })
  .edge(podsList, list, { failed: notListed, seconds: 10, slots: 1 });
