import { z } from 'zod';
import { failure } from './failure.ts';
import { finding } from './finding.ts';
import { life } from './life.ts';
import { act, blobHash, command, event, token } from './message.ts';
import { allowance, endpoint } from './mind.ts';
import { formula, publicSpec, spec } from './run.ts';
import { trained } from './training.ts';
import type { BlobStore } from './value.ts';
import { order } from './workspace.ts';

/** An episode as the evaluator sees it; it ends exactly once. */
export const episodeLife = life('episode', {
  open: ['running', 'scored', 'invalid', 'failed'],
  running: ['scored', 'invalid', 'failed'],
  scored: [],
  invalid: [],
  failed: [],
});
/** What every message of an episode carries, so that nobody on the route has to remember it: the baton. */
export const episode = {
  run: token,
  episode: token,
  /** The episodes of one spec that are compared with each other. */
  group: token,
  /** `training`: the learner hears of it. `evaluation`: it is only counted. */
  purpose: z.enum(['training', 'evaluation']),
  spec: token,
  /** Version of the policy that plays it. */
  policy: z.int().nonnegative(),
  formula,
  /** When the conductor began it, milliseconds since 1970 by the server's clock. */
  begunAt: z.number(),
};
const episodeObject = z.object(episode);
export type Episode = z.infer<typeof episodeObject>;
/** The baton alone, out of a message that carries more. */
export const episodeOf = (body: Episode): Episode => ({
  run: body.run,
  episode: body.episode,
  group: body.group,
  purpose: body.purpose,
  spec: body.spec,
  policy: body.policy,
  formula: body.formula,
  begunAt: body.begunAt,
});

const ofEpisode = '{run}.{episode}';

/** conductor → agent: play this episode */
export const episodeStart = command('episode-start', {
  from: ['conductor'],
  to: { agent: ofEpisode },
  body: {
    ...episode,
    mind: token,
    endpoint: endpoint.nullable(),
    allowance,
    /** Known to the agent, which remembers experiments by family, but not to its mind. */
    family: spec.shape.family,
    seed: z.int().nonnegative(),
    task: publicSpec,
    policyBlob: blobHash,
  },
  schema: 2,
});
/** conductor → evaluator, later: the deadline, so many seconds after the start */
export const episodeOverdue = command('episode-overdue', {
  from: ['conductor'],
  to: { evaluator: ofEpisode },
  body: { ...episode, seconds: z.number() },
});

/** agent → evaluator, at its edge: the stages of validation, on these bytes */
export const workspaceCheck = act('workspace-check', {
  from: ['agent'],
  to: { evaluator: ofEpisode },
  body: { ...episode, workspace: blobHash, transcript: blobHash, submit: z.boolean() },
});
/** evaluator → evaluator: the findings; `job` is null if there are any */
export const workspaceChecked = event('workspace-checked', {
  from: ['evaluator'],
  to: { evaluator: ofEpisode },
  body: {
    ...episode,
    workspace: blobHash,
    transcript: blobHash,
    submit: z.boolean(),
    findings: z.array(finding),
    job: z.strictObject(order).nullable(),
  },
});
/** evaluator → agent: what is wrong with the workspace, if anything */
export const findingsTold = event('findings-told', {
  from: ['evaluator'],
  to: { agent: ofEpisode },
  body: { ...episode, transcript: blobHash, submit: z.boolean(), findings: z.array(finding) },
});
/** agent → evaluator: nothing more will be submitted */
export const episodeFinish = command('episode-finish', {
  from: ['agent'],
  to: { evaluator: ofEpisode },
  body: { ...episode, transcript: blobHash.nullable(), workspace: blobHash.nullable() },
});
/** evaluator, agent → evaluator: an edge failed */
export const episodeFailed = event('episode-failed', {
  from: ['evaluator', 'agent'],
  to: { evaluator: ofEpisode },
  body: { ...episode, failure },
});

/** evaluator → evaluator: scores on the hidden items, in their order, each 0 to 1 */
export const episodeGraded = event('episode-graded', {
  from: ['evaluator'],
  to: { evaluator: ofEpisode },
  body: {
    ...episode,
    ...trained,
    workspace: blobHash,
    after: z.array(z.number()),
    baselines: z.record(z.string(), z.array(z.number())),
    referenceSeconds: z.number().positive(),
  },
});

/** Files of a job (`workspace.ts`); the size is what an agent's tools can write. */
export const workspaces: BlobStore = {
  name: 'workspace',
  writers: ['agent'],
  readers: ['evaluator', 'pod', 'operator', 'viewer'],
  mostBytes: 16 * 2 ** 20,
};
/** The moves of an episode (`transcript.ts`). */
export const transcripts: BlobStore = {
  name: 'transcript',
  writers: ['agent'],
  readers: ['learner', 'operator', 'viewer'],
  mostBytes: 64 * 2 ** 20,
};
