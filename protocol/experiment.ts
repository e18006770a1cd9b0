import { z } from 'zod';
import { episode } from './episode.ts';
import { life } from './life.ts';
import { act, blobHash, event } from './message.ts';
import { experimentNumber, experimentResult } from './transcript.ts';
import { order } from './workspace.ts';

/** An experiment as the evaluator sees it: a job whose results go to the agent, and of which only the cost counts. */
export const experimentLife = life('experiment', {
  asked: ['running', 'refused'],
  running: ['ended'],
  refused: [],
  ended: [],
});

const ofEpisode = '{run}.{episode}';

/** agent → evaluator, at its edge: the stages of validation, on these bytes */
export const experimentCheck = act('experiment-check', {
  from: ['agent'],
  to: { evaluator: ofEpisode },
  body: { ...episode, experiment: experimentNumber, workspace: blobHash },
});
/** evaluator → evaluator: no finding, so it is a job */
export const experimentChecked = event('experiment-checked', {
  from: ['evaluator'],
  to: { evaluator: ofEpisode },
  body: { ...episode, experiment: experimentNumber, workspace: blobHash, job: z.strictObject(order) },
});
/** evaluator → evaluator: its result, from an edge */
export const experimentEnded = event('experiment-ended', {
  from: ['evaluator'],
  to: { evaluator: ofEpisode },
  body: { ...episode, result: experimentResult },
});
/** evaluator → agent: its result, once */
export const experimentTold = event('experiment-told', {
  from: ['evaluator'],
  to: { agent: ofEpisode },
  body: { ...episode, result: experimentResult },
});
