import { actor } from '#kit/actor';
import { probeEvaluator, probeFailed } from '#protocol/probe';
import { readBlob } from './luggage.ts';

export const evaluator = actor('evaluator', {}, {}).edge(probeEvaluator, readBlob, {
  failed: ({ probe, seen }, failure, call) => call.send(probeFailed, { probe, seen, failure }),
  seconds: 30,
  slots: 4,
});
