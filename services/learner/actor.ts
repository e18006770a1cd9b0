import { actor } from '#kit/actor';
import { passedOn, probeHome, probeLearner } from '#protocol/probe';

export const learner = actor('learner', {}, {}).on(probeLearner, (state, probe, turn) => {
  turn.send(probeHome, passedOn(probe, 'learner', turn.now));
  return state;
});
