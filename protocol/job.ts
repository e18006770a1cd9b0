import { z } from 'zod';
import { episode, episodeOf } from './episode.ts';
import { failure } from './failure.ts';
import { act, blobHash, command, event, token } from './message.ts';
import { secondsMeasured, trained } from './training.ts';
import { experimentNumber } from './transcript.ts';
import type { BlobStore } from './value.ts';
import { order } from './workspace.ts';

/** A valid workspace on its way through a pod. */
export const job = {
  ...episode,
  /** Unique within its run. */
  job: token,
  /** Which experiment of its episode it is; null: it is the submission, which counts. */
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
  /** Counts the processes at this place, from 1: what was meant for an earlier one is ignored. */
  generation: z.int().positive(),
  /** The fencing token: it rises with each lease of a place, and an answer under an earlier one is ignored. */
  token: z.int().positive(),
};
const leaseObject = z.strictObject(lease);
export type Lease = z.infer<typeof leaseObject>;
const toEpisode = { evaluator: '{run}.{episode}' };
const toPod = { pod: 'pods.{pod}' };

/** evaluator → pool: train this when a pod is free */
export const jobSubmit = command('job-submit', { from: ['evaluator'], to: { pool: 'pool.main' }, body: job });
/** evaluator → pool: nobody waits for this job any more */
export const jobCancel = command('job-cancel', {
  from: ['evaluator'],
  to: { pool: 'pool.main' },
  body: { run: token, job: token },
});
/** pool → pod, at its edge: train */
export const jobRun = act('job-run', { from: ['pool'], to: toPod, body: { ...job, ...lease } });
/** pod → pool: it is still training; mean reward of the last step */
export const jobProgress = event('job-progress', {
  from: ['pod'],
  to: { pool: 'pool.main' },
  body: { run: token, job: token, ...lease, step: z.int(), steps: z.int(), reward: z.number() },
});
/** pod → evaluator, at its edge: which prompts should the trained model answer? */
export const jobTrained = act('job-trained', {
  from: ['pod'],
  to: toEpisode,
  body: { ...job, ...lease, ...trained },
});
/** evaluator → pod, at its edge: answer these prompts; answers and scorers stay in the evaluator */
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
/** pod, pool → evaluator: the job could not be run, through no fault of its own */
export const jobFailed = event('job-failed', { from: ['pod', 'pool'], to: toEpisode, body: { ...job, failure } });
/** pod, evaluator → pool: the pod is free again, after so many seconds of training */
export const leaseEnded = event('lease-ended', {
  from: ['pod', 'evaluator'],
  to: { pool: 'pool.main' },
  body: { run: token, job: token, ...lease, seconds: secondsMeasured },
});

/** Weights of trained models, as safetensors. */
export const weights: BlobStore = {
  name: 'weights',
  writers: ['pod'],
  readers: ['operator', 'viewer'],
  mostBytes: 8 * 2 ** 30,
};
