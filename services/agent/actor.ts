import { actor } from '#kit/actor';
import { passedOn, probeAgent, probePool } from '#protocol/probe';

export const agent = actor('agent', {}, {}).on(probeAgent, (state, probe, turn) => {
  turn.send(probePool, passedOn(probe, 'agent', turn.now));
  return state;
});
