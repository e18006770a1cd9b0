import { z } from 'zod';

/**
 * Every expected failure has a code, which is never reused for another meaning. The part before the slash is the
 * boundary where it was noticed. `retryable`: trying again may help.
 */
export const failureCodes = {
  'bus/empty-body': { retryable: false, says: 'the message has no body' },
  'bus/unreadable-body': { retryable: false, says: 'the body is not MessagePack' },
  'bus/unfit-body': { retryable: false, says: 'the body does not fit the schema of its message' },
  'bus/newer-schema': { retryable: false, says: 'the message was written by a newer Uplift than this one' },
  'bus/unknown-message': { retryable: false, says: 'its sender does not send this message to this receiver' },
  'bus/too-large': {
    retryable: false,
    says: 'what was to be sent or stored is too large; big things travel as blobs',
  },
  'bus/unreadable-record': { retryable: true, says: 'the stored state of its receiver cannot be read by this version' },
  'bus/handler-threw': { retryable: true, says: 'the handler threw: a bug, or a state it did not expect' },
  'bus/process-died': { retryable: true, says: 'every process that handled it died' },
  'edge/threw': { retryable: true, says: 'the edge threw an error that it did not classify' },
  'edge/overran': { retryable: false, says: 'the act took longer than it is allowed to' },
  'edge/refused': { retryable: false, says: 'the outside world refused, and would refuse again' },
  'blob/missing': { retryable: true, says: 'the blob, or a part of it, is not there' },
  'blob/corrupt': { retryable: false, says: 'the stored bytes do not have the hash that they are stored under' },
  'route/probe-lost': { retryable: true, says: 'a probe did not come home before its deadline' },
  'route/episode-overdue': { retryable: false, says: 'an episode had not ended when it was due' },
  'run/unknown-family': { retryable: false, says: 'there is no family of the name that a run asks for' },
  'run/untrainable': { retryable: false, says: 'the trainer of a run cannot learn from its mind' },
  'mind/unreachable': { retryable: true, says: 'the endpoint of the mind did not answer, or stopped in the middle' },
  'mind/busy': { retryable: true, says: 'the endpoint of the mind had no room, or failed, at every attempt' },
  'mind/refused': { retryable: false, says: 'the endpoint of the mind does not take such a request from us' },
  'mind/unfit-answer': { retryable: false, says: 'the endpoint of the mind answers otherwise than its API promises' },
  'mind/no-room': { retryable: false, says: 'the task does not fit into the context window of the mind' },
  'mind/adapter': { retryable: false, says: 'the policy version of an episode cannot be loaded by the endpoint' },
  'job/diverged': { retryable: false, says: 'the training diverged: its gradient is not finite' },
  'job/environment': { retryable: false, says: 'the environment of the job failed during training' },
  'job/overran': { retryable: false, says: 'the training took longer than its spec allows' },
  'pod/lost': { retryable: true, says: 'the pod that had the job was lost, as were those that had it before' },
  'pod/unfit': { retryable: false, says: 'the pod could not prove that it is able to train' },
  'pod/superseded': {
    retryable: false,
    says: 'it was meant for an earlier process at this place, or an earlier lease',
  },
  'evaluator/unknown-spec': { retryable: false, says: 'there is no spec of this name' },
  'evaluator/unfit-evidence': {
    retryable: false,
    says: 'a figure that the reward is computed from is missing or out of range',
  },
} as const satisfies Record<string, { retryable: boolean; says: string }>;

export type FailureCode = keyof typeof failureCodes;

export const failure = z.strictObject({
  code: z.enum(Object.keys(failureCodes) as [FailureCode, ...FailureCode[]]),
  /** A sentence that quotes the offending value; bounded, because it is saved beside other things. */
  detail: z.string().max(4_000),
});
export type Failure = z.infer<typeof failure>;
