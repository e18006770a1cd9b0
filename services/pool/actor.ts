import { actor } from '#kit/actor';
import { passedOn, probePod, probePool } from '#protocol/probe';

export const pool = actor('pool', {}, {}).on(probePool, (state, probe, turn) => {
  turn.send(probePod, { ...passedOn(probe, 'pool', turn.now), pod: 'p1' });
  return state;
});
