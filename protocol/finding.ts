import { z } from 'zod';

/**
 * Everything that can be wrong with a job has a code, which is never reused for another meaning. The part before the
 * slash is where it was noticed: `files`, `task` and `train` in the first stage of validation, `environment` in the
 * second and third, `red-team` in the fourth, and `score` on the hidden items.
 */
export const findingCodes = {
  'files/missing': 'a required file is not there',
  'files/unknown': 'no job has a file of this name',
  'files/too-large': 'a file, or all of them together, is larger than it may be',
  'files/unreadable': 'the workspace is not a table of files',
  'files/not-text': 'a file is not UTF-8 text',
  'task/unreadable': 'task.json is not a JSON object',
  'task/unknown-key': 'task.json has an unknown key',
  'task/unfit-value': 'a value in task.json is missing, of the wrong type or out of range',
  'task/beyond-limits': 'task.json asks for more than the spec allows',
  'train/unreadable': 'train.toml is not TOML',
  'train/unknown-key': 'train.toml has an unknown key',
  'train/unfit-value': 'a value in train.toml is missing, of the wrong type or out of range',
  'train/beyond-limits': 'train.toml asks for more than the spec allows',
  'environment/too-large': 'environment.js, its input or its output is larger than it may be',
  'environment/syntax': 'environment.js is not a JavaScript script',
  'environment/missing-function': 'environment.js does not define prompts and reward',
  'environment/time': 'it ran for longer than it may',
  'environment/memory': 'it used more memory than it may',
  'environment/stack': 'its calls were nested too deeply',
  'environment/threw': 'it threw an error',
  'environment/left-work': 'it left a promise pending, but nothing runs after a function has returned',
  'environment/prompts-malformed': 'prompts did not return n prompts that a base model can read',
  'environment/prompts-not-repeatable': 'the same seed gave different prompts the second time',
  'environment/reward-not-a-number': 'reward returned something other than a number',
  'environment/reward-out-of-range': 'reward returned a number below 0 or above 1',
  'environment/reward-not-repeatable': 'the same completion had a different reward the second time',
  'red-team/empty-pays': 'an empty completion is rewarded',
  'red-team/constant-pays': 'a completion that is the same for every prompt is rewarded',
  'red-team/echo-pays': 'a completion that repeats its prompt is rewarded',
  'red-team/random-pays': 'random letters are rewarded',
  'red-team/injected-pays': 'a completion that addresses the scorer is rewarded',
  'red-team/rewards-equal':
    'all completions of the base model have the same reward, so nothing can be learned from them',
  'score/impossible': 'no training can reach this score, so it was reached by other means',
} as const satisfies Record<string, string>;

export type FindingCode = keyof typeof findingCodes;

/** One thing that is wrong with a job, as its author is told of it. */
export const finding = z.strictObject({
  code: z.enum(Object.keys(findingCodes) as [FindingCode, ...FindingCode[]]),
  file: z.string(),
  line: z.int().positive().nullable(),
  /** Quotes the offending value and names the remedy. */
  sentence: z.string(),
});
export type Finding = z.infer<typeof finding>;
