import type { Message } from './message.ts';
import * as probe from './probe.ts';
import type { BlobStore, Value } from './value.ts';

/**
 * Every hop there is, in the order of the story: read this first. A test holds it against the code: each service handles
 * exactly the messages addressed to it, and sends none that is not from it.
 */
export const route: readonly Message[] = [
  probe.probeStart,
  probe.probeAgent,
  probe.probePool,
  probe.probePod,
  probe.probeEvaluator,
  probe.probeLearner,
  probe.probeHome,
  probe.probeFailed,
  probe.probeDue,
];

export const values: readonly Value[] = [probe.probeResult];

export const blobStores: readonly BlobStore[] = [probe.probeBlobs];
