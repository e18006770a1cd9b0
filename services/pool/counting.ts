import type { Saved, Showing } from '#kit/actor';
import { heard, said } from '#kit/saved';
import { failureCodes } from '#protocol/failure';
import { jobRun } from '#protocol/job';
import { podPhase, podsListed } from '#protocol/pod';
import { gauges, leaseWaitSeconds, podsLost, strays, warmUpSeconds } from './metrics.ts';
import { type Place, placeOf, places, type State } from './place.ts';
import { isStray } from './placement.ts';
import { secondsOf } from './show.ts';
import { providerName } from './supply.ts';

for (const code of Object.keys(failureCodes)) podsLost.inc({ code }, 0); // or Prometheus would not see the first one as a rise

/** Counts a saved turn: leases, and pods that became ready, were lost, or belonged to nobody. */
export function countTurn(turn: Saved<State>): void {
  const { before, state, now } = turn;
  for (const { pod } of said(turn, jobRun)) {
    const { lease } = placeOf(state, pod);
    if (lease) leaseWaitSeconds.observe(Math.max(0, now - lease.queuedAt) / 1000);
  }
  for (const pod of places) countPlace(placeOf(before, pod), placeOf(state, pod), now);
  const list = heard(turn, podsListed);
  if (list && list.tick === before.asking.tick) strays.inc(list.listed.filter((one) => isStray(before, one)).length);
}

/** A pod that has become ready may have a job by the end of the same turn. */
function countPlace(was: Place, is: Place, now: number): void {
  if (was.phase === is.phase) return;
  if (was.phase === 'warming' && is.phase !== 'terminating') warmUpSeconds.observe((now - is.orderedAt) / 1000);
  if (is.phase === 'terminating' && is.failure) podsLost.inc({ code: is.failure.code });
}

export const showing: Showing<State> = {
  gauges: Object.values(gauges),
  isShown: () => true,
  show(state, { now }) {
    const kind = { provider: providerName(), gpu: 'none' };
    for (const phase of podPhase.exclude(['absent']).options)
      gauges.pods.set({ phase, ...kind }, places.filter((pod) => placeOf(state, pod).phase === phase).length);
    gauges.wanted.set(state.wanted);
    gauges.queue.set(state.queue.length);
    gauges.queueAge.set(Math.max(0, ...state.queue.map(({ queuedAt }) => (now - queuedAt) / 1000)));
    for (const pod of places) {
      const { lease } = placeOf(state, pod);
      if (lease) gauges.progress.set({ pod }, lease.progress);
    }
    const there = places.map((pod) => secondsOf(placeOf(state, pod), now));
    const useful = there.reduce((sum, one) => sum + one.usefulSeconds, state.usefulSeconds);
    const all = there.reduce((sum, one) => sum + one.podSeconds, state.podSeconds);
    gauges.podSeconds.set({ use: 'training', ...kind }, useful);
    gauges.podSeconds.set({ use: 'other', ...kind }, Math.max(0, all - useful));
  },
};
