import { actor } from '#kit/actor';
import { probeFailed, probePod } from '#protocol/probe';
import { describeMachine } from './machine.ts';

export const pod = actor('pod', {}, {}).edge(probePod, describeMachine, {
  failed: ({ probe, seen }, failure, call) => call.send(probeFailed, { probe, seen, failure }),
  seconds: 30,
  slots: 1,
});
