import { type Actor, actor, type Call } from '#kit/actor';
import type { Failure } from '#protocol/failure';
import { type Job, jobAnswer, jobFailed, jobOf, jobRun, type Lease, leaseEnded } from '#protocol/job';
import { podLost, podWarm } from '#protocol/pod';
import { probeFailed, probePod } from '#protocol/probe';
import { answer } from './answering.ts';
import type { PodConfig } from './config.ts';
import type { Holding } from './holding.ts';
import { describeMachine } from './machine.ts';
import { trainJob } from './training.ts';
import { warm } from './warm.ts';

type Telling = Pick<Call, 'send'>;

/** Longer than any job may train; the limit of a job is its own `seconds`. */
const daySeconds = 24 * 3600;

/** The process of one generation at a place. It decides nothing: each act says all that is to be done. */
export function podOf({ generation }: PodConfig): Actor<Record<string, never>> {
  const holding: Holding = { generation, token: 0, weights: null };
  /** The job could not be run here, through no fault of its own: tells the evaluator, and frees the pod. */
  const failed = (body: Job & Lease, failure: Failure, call: Telling): void => {
    const { run, job, pod, token } = body;
    if (body.generation !== generation) return;
    call.send(jobFailed, { ...jobOf(body), failure });
    call.send(leaseEnded, { run, job, pod, generation, token, seconds: 0 });
  };
  return actor('pod', {}, {})
    .edge(podWarm, warm(holding), {
      failed: ({ pod, generation }, failure, call) => call.send(podLost, { pod, generation, failure }),
      seconds: 300,
      slots: 1,
    })
    .edge(jobRun, trainJob(holding), { failed, seconds: daySeconds, slots: 1 })
    .edge(jobAnswer, answer(holding), { failed, seconds: 600, slots: 1 })
    .edge(probePod, describeMachine, {
      failed: ({ probe, seen }, failure, call) => call.send(probeFailed, { probe, seen, failure }),
      seconds: 30,
      slots: 1,
    });
}

export const pod = podOf({ generation: 1 });
