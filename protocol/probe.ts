import { z } from 'zod';
import { failure } from './failure.ts';
import { life } from './life.ts';
import { act, command, event, token } from './message.ts';
import type { Service } from './roles.ts';
import { type BlobStore, value } from './value.ts';

/**
 * A probe travels the route of an episode through every service and comes home. It shows that roles, consumers, stores,
 * blobs, timers and leases of a running stack work, and measures what the route itself costs, without a mind or a
 * training.
 */
export const probeLife = life('probe', {
  new: ['travelling'],
  travelling: ['home', 'lost'],
  home: [],
  lost: [],
});

const leg = {
  probe: token,
  /** When the probe reached each service's mail, milliseconds since 1970 by the server's clock. */
  seen: z.array(z.strictObject({ service: z.string(), at: z.number() })),
};
/** The probe as the next service receives it. */
export const passedOn = <L extends z.infer<z.ZodObject<typeof leg>>>(probe: L, service: Service, at: number): L => ({
  ...probe,
  seen: [...probe.seen, { service, at }],
});
/** What the pod wrote at its edge and the evaluator must find unchanged. */
const withBlob = { ...leg, blob: z.string() };

const hop = (to: Service, from: Service | 'operator', address = 'probe.{probe}') => ({
  from: [from],
  to: { [to]: address },
});

/** operator → conductor */
export const probeStart = command('probe-start', {
  ...hop('conductor', 'operator'),
  body: { probe: token, seconds: z.number().positive() },
});
/** conductor → agent */
export const probeAgent = command('probe-agent', { ...hop('agent', 'conductor'), body: leg });
/** agent → pool: to the instance that knows the pods */
export const probePool = command('probe-pool', { ...hop('pool', 'agent', 'pool.main'), body: leg });
/** pool → pod, at its edge */
export const probePod = act('probe-pod', {
  from: ['pool'],
  to: { pod: 'pods.{pod}' },
  body: { ...leg, pod: token },
});
/** pod → evaluator, at its edge: fetch the blob */
export const probeEvaluator = act('probe-evaluator', { ...hop('evaluator', 'pod'), body: withBlob });
/** evaluator → learner */
export const probeLearner = command('probe-learner', { ...hop('learner', 'evaluator', 'probe.main'), body: withBlob });
/** learner → conductor */
export const probeHome = event('probe-home', { ...hop('conductor', 'learner'), body: withBlob });
/** pod, evaluator → conductor: an edge failed */
export const probeFailed = event('probe-failed', {
  from: ['pod', 'evaluator'],
  to: { conductor: 'probe.{probe}' },
  body: { ...leg, failure },
});
/** conductor → conductor, later: the deadline */
export const probeDue = command('probe-due', { ...hop('conductor', 'conductor'), body: { probe: token } });

/** What became of a probe. */
export const probeResult = value('probe', {
  writer: 'conductor',
  readers: ['operator', 'viewer'],
  body: { phase: z.enum(['travelling', 'home', 'lost']), seen: leg.seen, failure: failure.nullable() },
});

export type ProbeResult = z.infer<typeof probeResult.body>;

export const probeBlobs: BlobStore = {
  name: 'probe',
  writers: ['pod'],
  readers: ['evaluator'],
  mostBytes: 16 * 2 ** 20,
};
