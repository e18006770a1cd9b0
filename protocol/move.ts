import { z } from 'zod';
import { episode } from './episode.ts';
import { failure } from './failure.ts';
import { finding } from './finding.ts';
import { act, blobHash, event, token } from './message.ts';
import { allowance, endpoint } from './mind.ts';
import { publicSpec, spec } from './run.ts';
import { experimentNumber, experimentResult } from './transcript.ts';

const ofEpisode = '{run}.{episode}';

/** What the actor has to do after a move; `go on`: ask the mind again at once. */
export const next = z.enum(['go on', 'await', 'validate', 'submit', 'finish']);

/** agent → agent, at its edge: ask the mind for the next move, and make it */
export const moveWanted = act('move-wanted', {
  from: ['agent'],
  to: { agent: ofEpisode },
  body: {
    ...episode,
    mind: token,
    endpoint: endpoint.nullable(),
    allowance,
    family: spec.shape.family,
    seed: z.int().nonnegative(),
    task: publicSpec,
    policyBlob: blobHash,
    /** Number of moves made before this one. */
    move: z.int().nonnegative(),
    /** The transcript of those moves (`transcript.ts`); null: this is the first. */
    transcript: blobHash.nullable(),
    workspace: blobHash.nullable(),
    /** Findings of the last move's `validate` or `submit`; null: it ended with neither. */
    findings: z.array(finding).nullable(),
    /** Experiments begun so far, and the results that came back since the last move. */
    begun: z.int().nonnegative(),
    experiments: z.array(experimentResult),
  },
  schema: 2,
});
/** agent → agent: the move was made and its files are in the workspace; `next` is still to be done */
export const moveMade = event('move-made', {
  from: ['agent'],
  to: { agent: ofEpisode },
  body: {
    ...episode,
    move: z.int().nonnegative(),
    transcript: blobHash,
    workspace: blobHash.nullable(),
    /** To be run, each on the workspace as it was at that point of the move. */
    experiments: z.array(z.strictObject({ experiment: experimentNumber, workspace: blobHash })),
    next,
  },
});
/** agent → agent: the mind gave no move */
export const moveFailed = event('move-failed', {
  from: ['agent'],
  to: { agent: ofEpisode },
  body: { ...episode, failure },
});
