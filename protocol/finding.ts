import { z } from 'zod';

/**
 * Everything that can be wrong with a job, one code each, never used again for another meaning. The part before the slash
 * is where it was noticed: the stages of validation in their order, `environment` being the second and third, and then
 * the score on the hidden items.
 */
export const findingCodes = {
  'files/missing': 'a file that every job has is not there',
  'files/unknown': 'no job has a file of this name',
  'files/too-large': 'a file, or all of them together, is larger than it may be',
  'files/unreadable': 'the workspace is not a table of files',
  'files/not-text': 'a file is not UTF-8 text',
  'task/unreadable': 'task.json is not a JSON object',
  'task/unknown-key': 'task.json has a key that means nothing',
  'task/unfit-value': 'a value in task.json is missing, of the wrong kind or out of its range',
  'task/beyond-limits': 'task.json asks for more than the spec allows',
  'train/unreadable': 'train.toml is not TOML',
  'train/unknown-key': 'train.toml has a key that means nothing',
  'train/unfit-value': 'a value in train.toml is missing, of the wrong kind or out of its range',
  'train/beyond-limits': 'train.toml asks for more than the spec allows',
  'environment/too-large': 'environment.js, or what it was given or made, is larger than it may be',
  'environment/syntax': 'environment.js is not a JavaScript script',
  'environment/missing-function': 'environment.js does not define prompts and reward',
  'environment/time': 'it ran longer than it may',
  'environment/memory': 'it took more memory than it may',
  'environment/stack': 'its calls were nested too deeply',
  'environment/threw': 'it threw an error',
  'environment/left-work': 'it left a Promise job behind, and nothing runs after a function has returned',
  'environment/prompts-malformed': 'prompts did not return n prompts that a base model can read',
  'environment/prompts-not-repeatable': 'the same seed gave other prompts the second time',
  'environment/reward-not-a-number': 'reward returned something else than a number',
  'environment/reward-out-of-range': 'reward returned a number below 0 or above 1',
  'environment/reward-not-repeatable': 'the same completion was worth something else the second time',
  'red-team/empty-pays': 'an empty completion is paid',
  'red-team/constant-pays': 'a completion that is the same for every prompt is paid',
  'red-team/echo-pays': 'a completion that repeats its prompt is paid',
  'red-team/random-pays': 'random letters are paid',
  'red-team/injected-pays': 'a completion that speaks to the scorer is paid',
  'red-team/rewards-equal': 'all completions of the base model are worth the same, so nothing can be learned by them',
  'score/impossible': 'a score that no training can reach, so something else than training was at work',
} as const satisfies Record<string, string>;

export type FindingCode = keyof typeof findingCodes;

/** One thing that is wrong with a job, as its author is told. */
export const finding = z.strictObject({
  code: z.enum(Object.keys(findingCodes) as [FindingCode, ...FindingCode[]]),
  file: z.string(),
  line: z.int().positive().nullable(),
  /** Quotes the offending value and names the remedy. */
  sentence: z.string(),
});
export type Finding = z.infer<typeof finding>;
