import { z } from 'zod';
import { episode, episodeOf } from './episode.ts';
import { failure } from './failure.ts';
import { act, blobHash, command, event, token } from './message.ts';
import { measured, trained } from './training.ts';
import { experimentNumber } from './transcript.ts';
import type { BlobStore } from './value.ts';
import { order } from './workspace.ts';

/** A workspace that was found valid, on its way through a pod. */
export const job = {
  ...episode,
  /** One of each name in a run. */
  job: token,
  /** The how-manieth of its episode; null: it is the submission, which counts. */
  experiment: experimentNumber.nullable(),
  workspace: blobHash,
  ...order,
};
const jobObject = z.strictObject(job);
export type Job = z.infer<typeof jobObject>;
/** The job alone, out of a message that carries more. */
export const jobOf = (body: Job): Job => ({
  ...episodeOf(body),
  job: body.job,
  experiment: body.experiment,
  workspace: body.workspace,
  runtime: body.runtime,
  baseModel: body.baseModel,
  seconds: body.seconds,
});

/** The right of one job to one pod. */
export const lease = {
  pod: token,
  /** The how-manieth process at this place: what was meant for an earlier one is not done. */
  generation: z.int().positive(),
  /** Rises with each lease of a place: whoever answers under an earlier one comes too late. */
  token: z.int().positive(),
};
const leaseObject = z.strictObject(lease);
export type Lease = z.infer<typeof leaseObject>;
const toEpisode = { evaluator: '{run}.{episode}' };
const toPod = { pod: 'pods.{pod}' };

/** evaluator → pool */
export const jobSubmit = command('job-submit', { from: ['evaluator'], to: { pool: 'pool.main' }, body: job });
/** evaluator → pool: nobody waits for it any more */
export const jobCancel = command('job-cancel', {
  from: ['evaluator'],
  to: { pool: 'pool.main' },
  body: { run: token, job: token },
});
/** pool → pod, at its edge: train */
export const jobRun = act('job-run', { from: ['pool'], to: toPod, body: { ...job, ...lease } });
/** pod → pool: it goes on */
export const jobProgress = event('job-progress', {
  from: ['pod'],
  to: { pool: 'pool.main' },
  body: { run: token, job: token, ...lease, step: z.int(), steps: z.int(), reward: z.number() },
});
/** pod → evaluator, at its edge: which prompts shall the trained model answer? */
export const jobTrained = act('job-trained', {
  from: ['pod'],
  to: toEpisode,
  body: { ...job, ...lease, ...trained },
});
/** evaluator → pod, at its edge: only prompts go out */
export const jobAnswer = act('job-answer', {
  from: ['evaluator'],
  to: toPod,
  body: { ...job, ...lease, ...trained, prompts: z.array(z.string()) },
});
/** pod → evaluator, at its edge: completions in the order of the prompts */
export const jobAnswered = act('job-answered', {
  from: ['pod'],
  to: toEpisode,
  body: { ...job, ...lease, ...trained, completions: z.array(z.string()) },
});
/** pod, pool → evaluator: it could not be run, and that is not the fault of the job */
export const jobFailed = event('job-failed', { from: ['pod', 'pool'], to: toEpisode, body: { ...job, failure } });
/** pod, evaluator → pool: the pod is free again */
export const leaseEnded = event('lease-ended', {
  from: ['pod', 'evaluator'],
  to: { pool: 'pool.main' },
  body: { run: token, job: token, ...lease, seconds: measured },
});

/** What trainings left behind. */
export const weights: BlobStore = {
  name: 'weights',
  writers: ['pod'],
  readers: ['operator', 'viewer'],
  mostBytes: 8 * 2 ** 30,
};
