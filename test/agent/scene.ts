import type { episodeStart } from '#protocol/episode';
import type { Finding } from '#protocol/finding';
import type { BodyOf } from '#protocol/message';
import { allowance } from '#protocol/mind';
import type { PublicSpec } from '#protocol/run';
import type { Move, PolicyWeights } from '#protocol/transcript';
import type { Workspace } from '#protocol/workspace';
import type { Decision, Moment } from '../../services/agent/mind.ts';
import { fileTools, isFileTool } from '../../services/agent/tools.ts';
import { speechless } from '../support/speechless.ts';

export const task: PublicSpec = {
  id: 's1',
  text:
    'Train a model to reverse the word. A prompt is the word and the sign ">", nothing else. Words have 3 to 5 letters, ' +
    'from a to p. You may train for at most 60 steps and 30 seconds, beginning with micro-s or micro-m. ' +
    'For example: "abc>" becomes "cba"; "pon>" becomes "nop".',
  limits: { steps: 60, seconds: 30, baseModels: ['micro-s', 'micro-m'], experiments: 4 },
};

export const hash = (digit: string): string => digit.repeat(64);

export const baton = {
  run: 'r1',
  episode: 'e1',
  group: 'g0',
  purpose: 'training',
  spec: task.id,
  policy: 0,
  formula: 'reference',
  begunAt: 1_000,
} as const;

export const start: BodyOf<typeof episodeStart> = {
  ...baton,
  mind: 'catalogue',
  endpoint: null,
  allowance: allowance.parse({ moves: 12 }),
  family: 'reverse',
  seed: 7,
  task,
  policyBlob: hash('a'),
};

export const policyOf = (weights: PolicyWeights): Uint8Array =>
  Buffer.from(JSON.stringify({ version: 0, weights, optimizer: { m: {}, v: {}, t: 0 }, position: 0 }));

/** Weights that make each of these options all but certain: `point option`. */
export const surely = (...options: string[]): PolicyWeights =>
  Object.fromEntries(options.map((option) => [option, 50]));

export const good = surely(
  ...['reward exact', 'prompts told', 'base micro-m', 'learning_rate 0.001', 'steps 60', 'batch 8x8', 'temperature 1'],
  ...['max_tokens 16', 'kl_coef 0', 'lora_rank 0', 'spelling snake_case', 'check submit', 'wanting repair'],
);

export const moment = (weights: PolicyWeights, given: Partial<Moment> = {}): Moment => ({
  episode: 'r1.e1',
  seed: 7,
  task,
  endpoint: null,
  allowance: start.allowance,
  version: 0,
  policy: async () => policyOf(weights),
  moves: [],
  files: {},
  findings: null,
  experiments: [],
  begun: 0,
  signal: new AbortController().signal,
  ...given,
});

/** What a decision leaves behind: the move, and the files. */
export function done(decision: Decision, before: Moment): { move: Move; files: Workspace } {
  let { files } = before;
  const calls = decision.calls.map(({ tool, input }) => {
    if (tool === 'get_baseline_scores') return { tool, input, result: 'micro-s: 0.010\nmicro-m: 0.020' };
    if (!isFileTool(tool)) return { tool, input, result: null };
    const used = fileTools[tool](files, input);
    files = used.files;
    return { tool, input, result: used.result };
  });
  const findings: Finding[] | null = before.findings ? [...before.findings] : null;
  return {
    move: {
      ...speechless,
      text: decision.text,
      choices: [...decision.choices],
      calls,
      findings,
      experiments: [...before.experiments],
    },
    files,
  };
}
