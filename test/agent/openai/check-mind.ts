// `npm run check:mind`: what a real endpoint can do, and one whole episode that its model plays on a real stack.
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { z } from 'zod';
import { Failed } from '#kit/boundary';
import { readConfig } from '#kit/config';
import { type Endpoint, endpoint } from '#protocol/mind';
import { knobs } from '../../../services/agent/config.ts';
import { type Abilities, abilitiesOf } from '../../../services/agent/openai/abilities.ts';
import { keepAccess } from '../../../services/agent/openai/access.ts';
import { adapterRequest } from '../../../services/agent/openai/client.ts';
import { Fault } from '../../../services/agent/openai/fault.ts';
import { Patience } from '../../../services/agent/openai/patience.ts';
import { examples } from '../../../services/cli/options.ts';
import { playOne } from '../../../services/cli/play.ts';
import { bold, red, say, warn } from '../../../services/cli/say.ts';
import { checked, quickstart } from '../../../services/cli/train.ts';

interface Options {
  readonly baseUrl?: string;
  readonly model?: string;
  readonly calls: string;
  readonly family: string;
  readonly json?: string;
  readonly episode: boolean;
}

const showing = [
  ['npm run check:mind -- --base-url http://127.0.0.1:8000/v1 --model NAME', 'what it can do, and one episode'],
  ['npm run check:mind -- --base-url URL --model NAME --no-episode', 'only what it can do'],
  ['UPLIFT_TEST_LLM_URL=URL UPLIFT_TEST_LLM_MODEL=NAME npm run check:mind', 'the same, from the environment'],
] as const;

const { UPLIFT_TEST_LLM_URL: url, UPLIFT_TEST_LLM_MODEL: name } = process.env;
const program = new Command('check:mind')
  .description('Finds out what an OpenAI-compatible endpoint can do, then plays one whole episode with its model.')
  .option('--base-url <URL>', 'of the endpoint (default: UPLIFT_TEST_LLM_URL)', url)
  .option('--model <NAME>', 'as the endpoint names it (default: UPLIFT_TEST_LLM_MODEL)', name)
  .option('--calls <HOW>', 'how tools are called: auto, native or text', 'auto')
  .option('--family <NAME>', 'the kind of skill of the episode', 'reverse')
  .option('--json <FILE>', 'also write all of it to this file')
  .option('--no-episode', 'play none')
  .addHelpText('after', `\nA key is read from UPLIFT_AGENT_MIND_KEY or OPENAI_API_KEY.\n${examples(...showing)}`)
  .action((options: Options) => run(options));

interface Found extends Abilities {
  readonly loadsAdapters: boolean;
}

async function run({ baseUrl, model, calls, family, json, episode }: Options): Promise<void> {
  if (!baseUrl || !model) return program.error('say which endpoint: --base-url URL --model NAME', { exitCode: 2 });
  const at = endpointOf({ baseUrl, model, calls });
  keepAccess(readConfig('agent', knobs, { env: process.env, file: process.env.UPLIFT_CONFIG }), process.env);
  const found = await findOut(at);
  for (const line of linesOf(at, found)) say(line);
  if (episode) {
    const given = { mind: 'openai', endpoint: at, trainer: 'none', steps: 0, trial: family };
    await playOne({ config: checked({ ...quickstart('openai'), ...given }, 'the options'), json, full: false });
  }
  if (json === undefined) return;
  const played: unknown = episode ? JSON.parse(readFileSync(json, 'utf8')) : null;
  writeFileSync(json, `${JSON.stringify({ endpoint: at, abilities: found, played }, null, 2)}\n`);
}

function endpointOf(given: { baseUrl: string; model: string; calls: string }): Endpoint {
  const read = endpoint.safeParse(given);
  if (read.success) return read.data;
  return program.error(z.prettifyError(read.error), { exitCode: 2 });
}

async function findOut(at: Endpoint): Promise<Found> {
  const patience = new Patience(new AbortController().signal, 'check:mind');
  const abilities = await abilitiesOf(at, patience);
  return { ...abilities, loadsAdapters: await loadsAdapters(at, patience) };
}

/** A server that can load adapters says what is missing in this request; another one does not know the address. */
async function loadsAdapters(at: Endpoint, patience: Patience): Promise<boolean> {
  const nothing = { path: '/load_lora_adapter', body: { lora_name: '', lora_path: '' } } as const;
  try {
    await patience.ask(at, (attempt) => adapterRequest(at, nothing, attempt));
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.status === 400 || error.status === 422;
  }
}

const yes = (is: boolean): string => (is ? 'yes' : 'no');

function linesOf({ baseUrl, model }: Endpoint, found: Found): string[] {
  const { dialect, parallel, logprobs, tokenIds, contextTokens, loadsAdapters: loads, why } = found;
  const several = { true: ', several in one answer', false: ', one in an answer', null: '' }[`${parallel}`];
  return [
    `${bold('endpoint')}    ${model} at ${baseUrl}`,
    `streaming   yes`,
    `tool calls  ${dialect.tools ? `native${several}` : 'in its text: the endpoint or the model knows no tool calls'}`,
    `logprobs    ${yes(logprobs)}`,
    `token ids   ${yes(tokenIds)}`,
    `adapters    ${loads ? 'can be loaded while it runs' : 'cannot be loaded while it runs'}`,
    `context     ${contextTokens === null ? 'it does not say: 32,768 tokens are assumed' : `${contextTokens} tokens`}`,
    `learning    ${why === '' ? 'from its tokens' : `nothing can be learned: ${why}`}`,
    '',
  ];
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  warn(red(`${error.code}: ${error.message}`));
  process.exitCode = 1;
}
