import type { Call } from '#kit/actor';
import type { BodyOf } from '#protocol/message';
import { passedOn, probeBlobs, type probeEvaluator, probeLearner } from '#protocol/probe';

/** Edge: fetches the blob that the pod stored. Throws unless every byte is there. */
export async function readBlob(probe: BodyOf<typeof probeEvaluator>, call: Call): Promise<void> {
  await call.blobs.get(probeBlobs.name, probe.blob);
  call.send(probeLearner, passedOn(probe, 'evaluator', call.now));
}
