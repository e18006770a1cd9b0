import { actor, type Turn } from '#kit/actor';
import {
  policyFailed,
  policyOpen,
  policyOpened,
  policyPublished,
  policyUpdate,
  policyUpdated,
  policyValue,
} from '#protocol/policy';
import { passedOn, probeHome, probeLearner } from '#protocol/probe';
import { runFailed } from '#protocol/run';
import { type EpisodeEnded, episodeEnded } from '#protocol/verdict';
import { countTurn, showing } from './counting.ts';
import { groupsOf, indexOf, samplesOf } from './order.ts';
import { type State, state } from './state.ts';
import { openPolicy, updatePolicy } from './update.ts';

export const learner = actor('learner', state, { config: null, policy: null, did: null, updating: false, ended: [] })
  .counts(countTurn)
  .shows(showing)
  .on(policyOpened, (state, { run, version, blob, config }, turn) => {
    if (state.policy) return state;
    turn.set(policyValue, {
      version,
      blob,
      samples: 0,
      stalenessMax: 0,
      ratio: 1,
      clipped: 0,
      entropy: 0,
      gradientNorm: 0,
      loss: 0,
      kl: 0,
    });
    turn.send(policyPublished, { run, version, blob, stalenessMax: 0 });
    return learn({ ...state, config, policy: { version, blob } }, run, turn);
  })
  .on(episodeEnded, (state, body, turn) => {
    if (!isAwaited(state, body)) return state;
    const { episode, group, reward, transcript, policy, begunAt } = body;
    const one = { episode, group, reward, transcript, policy, seconds: (turn.now - begunAt) / 1000 };
    return learn({ ...state, ended: [...state.ended, one] }, body.run, turn);
  })
  .on(policyUpdated, (state, { run, ...updated }, turn) => {
    if (updated.version !== (state.policy?.version ?? 0) + 1) return state;
    const { version, blob, ...did } = updated;
    turn.set(policyValue, updated);
    turn.send(policyPublished, { run, version, blob, stalenessMax: did.stalenessMax });
    const next = { ...state, policy: { version, blob }, did, updating: false };
    return learn({ ...next, ended: next.ended.filter((one) => isAhead(next, one.group)) }, run, turn);
  })
  .on(policyFailed, (state, failed, turn) => {
    turn.send(runFailed, failed);
    return state;
  })
  .edge(policyOpen, openPolicy, {
    failed: ({ run }, failure, call) => call.send(policyFailed, { run, failure }),
    seconds: 300,
    slots: 1,
  })
  .edge(policyUpdate, updatePolicy, {
    failed: ({ run }, failure, call) => call.send(policyFailed, { run, failure }),
    seconds: 600,
    slots: 1,
  })
  .on(probeLearner, (state, probe, turn) => {
    turn.send(probeHome, passedOn(probe, 'learner', turn.now));
    return state;
  });

/** Whether a version that is still to come will learn from this group. */
function isAhead({ config, policy }: State, group: string): boolean {
  const index = indexOf(group);
  if (!config || !policy) return index >= 0;
  return index >= groupsOf(policy.version, config) && index < groupsOf(config.steps, config);
}

const isAwaited = (state: State, { purpose, group, episode }: EpisodeEnded): boolean =>
  purpose === 'training' && isAhead(state, group) && !state.ended.some((one) => one.episode === episode);

/** Begins the next step if all its episodes have ended and no other update is under way. */
function learn(state: State, run: string, turn: Turn): State {
  const { config, policy, updating } = state;
  if (!config || !policy || updating) return state;
  const samples = samplesOf(state.ended, policy.version, config);
  if (!samples) return state;
  const groups = groupsOf(policy.version + 1, config);
  turn.send(policyUpdate, { run, ...policy, trainer: config.trainer, groups, samples });
  return { ...state, updating: true };
}
