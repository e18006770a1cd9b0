import type { Turn } from '#kit/actor';
import { pods } from '#protocol/pod';
import { type Place, placeOf, places, type State } from './place.ts';
import { existingPods } from './placement.ts';

const isShown = ({ phase, failure }: Place): boolean => phase !== 'absent' || failure !== null;

/** What people see, except for the seconds, which pass by themselves. */
const picture = (state: State) => ({
  wanted: state.wanted,
  scale: state.scale,
  queued: state.queue.length,
  pods: places
    .filter((pod) => isShown(placeOf(state, pod)))
    .map((pod) => {
      const { phase, generation, since, lease, jobs, failure } = placeOf(state, pod);
      return { pod, generation: Math.max(1, generation), phase, since, job: lease?.job ?? null, jobs, failure };
    }),
});

const refreshMs = 10_000;

/** Sets the shown value if something has changed, and otherwise every ten seconds. */
export function show(state: State, before: State, turn: Turn): State {
  const now = picture(state);
  const pause = existingPods(state).length === 0 ? Number.POSITIVE_INFINITY : refreshMs;
  if (turn.now - state.shownAt < pause && JSON.stringify(now) === JSON.stringify(picture(before))) return state;
  const shown = now.pods.map((one) => ({ ...one, ...secondsOf(placeOf(state, one.pod), turn.now) }));
  const sum = (name: 'podSeconds' | 'usefulSeconds'): number =>
    shown.reduce((total, one) => total + one[name], state[name]);
  const version = state.version + 1;
  const totals = { podSeconds: sum('podSeconds'), usefulSeconds: sum('usefulSeconds'), most: state.most };
  turn.set(pods, { ...now, ...totals, pods: shown, version });
  return { ...state, version, shownAt: turn.now };
}

/** Seconds of the current process; the totals include those before it. */
export function secondsOf({ phase, orderedAt, usefulSeconds }: Place, now: number) {
  if (phase === 'absent') return { podSeconds: 0, usefulSeconds: 0 };
  return { podSeconds: Math.max(0, now - orderedAt) / 1000, usefulSeconds };
}
