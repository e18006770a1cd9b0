import type { ExecutionContext } from 'ava';
import { type Endpoint as At, endpoint } from '#protocol/mind';
import type { Transcript } from '#protocol/transcript';
import type { Workspace } from '#protocol/workspace';
import type { Decision, Moment } from '../../../services/agent/mind.ts';
import { forgetAbilities } from '../../../services/agent/openai/abilities.ts';
import { keepAccess } from '../../../services/agent/openai/access.ts';
import { forgetAdapters } from '../../../services/agent/openai/adapters.ts';
import { forgetClients } from '../../../services/agent/openai/client.ts';
import { openai } from '../../../services/agent/openai/mind.ts';
import { fileTools, isFileTool } from '../../../services/agent/tools.ts';
import { type Endpoint, type Options, startEndpoint } from '../../support/endpoint/server.ts';
import type { AnswerScript } from '../../support/endpoint/strict.ts';
import { moment, task } from '../scene.ts';

/** Less than any of these tests may take, and enough for a busy machine. */
export const answerSeconds = 8;

/** As in a new agent process with this configuration. */
export function afresh(config: Partial<Parameters<typeof keepAccess>[0]> = {}): void {
  forgetAbilities();
  forgetAdapters();
  forgetClients();
  keepAccess({ answerSeconds, mindKey: undefined, mindKeyFile: undefined, adapterFolder: undefined, ...config }, {});
}

export const endpointAt = (server: Pick<Endpoint, 'baseUrl' | 'model'>, more: Partial<At> = {}): At =>
  endpoint.parse({ baseUrl: server.baseUrl, model: server.model, answerTokens: 512, ...more });

export const call = (name: string, input: Record<string, unknown> = {}): { name: string; arguments: string } => ({
  name,
  arguments: JSON.stringify(input),
});
export const finishing: AnswerScript = { text: 'I am done.', calls: [call('finish')] };

/** A server whose model says these in turn. */
export const saying = (
  t: ExecutionContext,
  answers: readonly AnswerScript[],
  more: Partial<Options> = {},
): Promise<Endpoint> => startEndpoint(t, { script: (_, turn) => answers[turn] ?? finishing, ...more });

export const at = (server: Endpoint, given: Partial<Moment> = {}): Moment =>
  moment({}, { endpoint: endpointAt(server), policy: async () => new Uint8Array(), ...given });

export const decide = (server: Endpoint, given: Partial<Moment> = {}): Promise<Decision> =>
  openai.decide(at(server, given));

/** What came of a decision, as the agent's edge and actor make it: the next moment. */
export function after(before: Moment, decision: Decision): Moment {
  let { files } = before;
  const calls = decision.calls.map(({ tool, input, problem }) => {
    if (problem !== undefined) return { tool, input, result: problem };
    if (tool === 'get_baseline_scores') return { tool, input, result: 'micro-s: 0.010\nmicro-m: 0.020' };
    if (tool === 'run_experiment') return { tool, input, result: 'experiment 1 is under way' };
    if (!isFileTool(tool)) return { tool, input, result: null };
    const used = fileTools[tool](files, input);
    files = used.files;
    return { tool, input, result: used.result };
  });
  const {
    text,
    thinking = '',
    model = null,
    usage = { promptTokens: 0, completionTokens: 0, usd: 0 },
    sampled,
  } = decision;
  const { findings, experiments } = before;
  const told = { findings: findings && [...findings], experiments: [...experiments] };
  const move = { text, thinking, choices: [], model, usage, sampled: sampled ?? null, calls, ...told };
  return { ...before, moves: [...before.moves, move], files, findings: null, experiments: [] };
}

/** Plays so many moves; every one with all that came of those before. */
export async function play(first: Moment, moves: number): Promise<Moment> {
  let now = first;
  for (let move = 0; move < moves; move += 1) now = after(now, await openai.decide(now));
  return now;
}

export const transcriptOf = ({ moves, version }: Moment): Transcript => ({
  mind: 'openai',
  policy: version,
  moves: [...moves],
});

export const goodFiles: Workspace = {
  'task.json': JSON.stringify({ runtime: 'micro', baseModel: 'micro-m', spec: task.id }),
  'train.toml': 'steps = 30\nlearning_rate = 1e-3\n',
  'environment.js': 'function prompts(rng, n) {\n  return Array.from({ length: n }, () => "abc>");\n}\n',
};
