import { z } from 'zod';

/**
 * Everything that can go wrong and is expected to: one code each, never used again for another meaning.
 * The part before the slash is the boundary where it was noticed. `retryable`: trying again may help.
 */
export const failureCodes = {
  'bus/empty-body': { retryable: false, says: 'the message has no body' },
  'bus/unreadable-body': { retryable: false, says: 'the body is not MessagePack' },
  'bus/unfit-body': { retryable: false, says: 'the body does not fit the schema of its message' },
  'bus/newer-schema': { retryable: false, says: 'the message was written by a newer Uplift than this one' },
  'bus/unknown-message': { retryable: false, says: 'no message of this name is sent from there to here' },
  'bus/too-large': {
    retryable: false,
    says: 'what was to be sent or kept is larger than may be; big things travel as blobs',
  },
  'bus/unreadable-record': { retryable: true, says: 'the state it was for cannot be read by this code' },
  'bus/handler-threw': { retryable: true, says: 'the handler threw: a bug, or a state it did not expect' },
  'bus/process-died': { retryable: true, says: 'the process that handled it died every time' },
  'edge/threw': { retryable: true, says: 'the edge threw an error that it did not classify' },
  'edge/overran': { retryable: false, says: 'the act took longer than it may' },
  'edge/refused': { retryable: false, says: 'the outside world said no, and will say no again' },
  'blob/missing': { retryable: true, says: 'the blob is not there, or not all of it' },
  'blob/corrupt': { retryable: false, says: 'what was stored does not have the hash it is stored under' },
  'route/probe-lost': { retryable: true, says: 'a probe did not come home before its deadline' },
  'route/episode-overdue': { retryable: false, says: 'an episode had not ended when it was due' },
  'job/diverged': { retryable: false, says: 'the training diverged: its gradient is no number any more' },
  'job/environment': { retryable: false, says: 'the environment of the job failed while it was trained' },
  'job/overran': { retryable: false, says: 'the training took longer than its spec allows' },
  'pod/lost': { retryable: true, says: 'the pod that had the job is gone, and so were those that had it before' },
  'pod/unfit': { retryable: false, says: 'the pod could not prove that it is able to train' },
  'pod/superseded': { retryable: false, says: 'it was meant for an earlier process at this place' },
  'evaluator/unknown-spec': { retryable: false, says: 'there is no spec of this name' },
  'evaluator/unfit-evidence': {
    retryable: false,
    says: 'what a reward is made of is missing, or no number in its range',
  },
} as const satisfies Record<string, { retryable: boolean; says: string }>;

export type FailureCode = keyof typeof failureCodes;

export const failure = z.strictObject({
  code: z.enum(Object.keys(failureCodes) as [FailureCode, ...FailureCode[]]),
  /** A sentence that quotes the offending value. Who keeps it has more to keep. */
  detail: z.string().max(4_000),
});
export type Failure = z.infer<typeof failure>;
