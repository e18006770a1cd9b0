import { z } from 'zod';
import { episode } from './episode.ts';
import { failure } from './failure.ts';
import { finding } from './finding.ts';
import { act, blobHash, event, token } from './message.ts';
import { publicSpec } from './run.ts';
import { experimentNumber, experimentResult } from './transcript.ts';

const ofEpisode = '{run}.{episode}';

/** What a mind wants that its own edge cannot do, or nothing: it is asked again at once. */
export const next = z.enum(['go on', 'await', 'validate', 'submit', 'finish']);

/** agent → agent, at its edge: what is the next move? */
export const moveWanted = act('move-wanted', {
  from: ['agent'],
  to: { agent: ofEpisode },
  body: {
    ...episode,
    mind: token,
    seed: z.int().nonnegative(),
    task: publicSpec,
    policyBlob: blobHash,
    /** Moves made before this one. */
    move: z.int().nonnegative(),
    /** Of those moves (`transcript.ts`); null: this is the first. */
    transcript: blobHash.nullable(),
    workspace: blobHash.nullable(),
    /** What came back of the last move's `validate` or `submit`; null: there was none. */
    findings: z.array(finding).nullable(),
    /** Experiments begun before, and what came back of them since the last move. */
    begun: z.int().nonnegative(),
    experiments: z.array(experimentResult),
  },
});
/** agent → agent: files are written and lie in the workspace; `next` is still to be done */
export const moveMade = event('move-made', {
  from: ['agent'],
  to: { agent: ofEpisode },
  body: {
    ...episode,
    move: z.int().nonnegative(),
    transcript: blobHash,
    workspace: blobHash.nullable(),
    /** To be made of the workspace as it was in the middle of the move. */
    experiments: z.array(z.strictObject({ experiment: experimentNumber, workspace: blobHash })),
    next,
  },
});
/** agent → agent: the mind cannot be asked */
export const moveFailed = event('move-failed', {
  from: ['agent'],
  to: { agent: ofEpisode },
  body: { ...episode, failure },
});
