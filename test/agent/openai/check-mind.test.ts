// The conformance run, against an endpoint whose model writes a good job: a whole episode on a real stack.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sequencesOf } from '#protocol/sequence';
import { transcript } from '#protocol/transcript';
import { verdict } from '#protocol/verdict';
import { prompts, reversed, reward } from '../../evaluator/support/jobs.ts';
import { startEndpoint } from '../../support/endpoint/server.ts';
import type { AnswerScript, ChatRequest } from '../../support/endpoint/strict.ts';
import { moduleFile } from '../../support/root.ts';
import { call } from './play.ts';

const key = 'sk-check-mind-0123456789';
const main = moduleFile('./check-mind', import.meta.url);

/** Runs it in a home of its own. */
async function checkMind(t: ExecutionContext, ...args: string[]) {
  const home = mkdtempSync(join(tmpdir(), 'uplift-mind-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const env = { ...process.env, UPLIFT_HOME: home, UPLIFT_AGENT_MIND_KEY: key, OPENAI_API_KEY: key };
  const json = join(home, 'check.json');
  const running = promisify(execFile)(process.execPath, [main, '--json', json, ...args], { env });
  const { stdout, stderr } = await running.catch((error: { stdout: string; stderr: string }) => error);
  return { stdout, stderr, home, json };
}

const specIn = ({ messages }: ChatRequest): string =>
  /"spec" in task\.json must be "([^"]+)"/.exec(messages[1]?.content ?? '')?.[1] ?? '';

/** Looks around, writes a job, has it validated, tries it and submits it. */
const trainer = (request: ChatRequest, turn: number): AnswerScript => {
  const task = JSON.stringify({ runtime: 'micro', baseModel: 'micro-s', spec: specIn(request) });
  const turns: AnswerScript[] = [
    { text: 'I look.', calls: [call('list_files'), call('get_baseline_scores')] },
    {
      thinking: 'Partial credit.',
      calls: [
        call('write_file', { file: 'task.json', text: task }),
        call('write_file', { file: 'train.toml', text: 'steps = 4\n' }),
        call('write_file', { file: 'environment.js', text: prompts + reward(reversed) }),
        call('validate'),
      ],
    },
    { text: 'It is valid.', calls: [call('run_experiment'), call('await_experiments')] },
    { text: 'Good enough.', calls: [call('submit')] },
  ];
  return turns[turn] ?? { calls: [call('finish')] };
};

/** Which processes have the key in their environment. */
const holders = (): string[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      if (!environment.includes(key)) return [];
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [/services\/([a-z]+)\/main|(check-mind)/.exec(line)?.slice(1).find(Boolean) ?? line];
    } catch {
      return []; // it has ended meanwhile, or is somebody else's
    }
  });

const played = z.object({
  abilities: z.object({
    tokenIds: z.boolean(),
    loadsAdapters: z.boolean(),
    contextTokens: z.number(),
    why: z.string(),
  }),
  played: z.object({ run: z.string(), moves: transcript.shape.moves, verdict: verdict.body }),
});

test('it says what the endpoint can do, and plays one episode to its verdict; the key stays with the agent', async (t) => {
  t.timeout(180_000);
  const seen = new Set<string>();
  const server = await startEndpoint(t, {
    key,
    script: (request, turn) => {
      for (const holder of holders()) seen.add(holder);
      return trainer(request, turn);
    },
  });
  const { stdout, stderr, home, json } = await checkMind(t, '--base-url', server.baseUrl, '--model', server.model);
  t.regex(stdout, /tool calls {2}native, several in one answer\nlogprobs {4}yes\ntoken ids {3}yes\n/, stderr);
  t.regex(stdout, /adapters {4}can be loaded while it runs\ncontext {5}65536 tokens\nlearning {4}from its tokens/);
  const { abilities, played: episode } = played.parse(JSON.parse(readFileSync(json, 'utf8')));
  t.deepEqual(abilities, { tokenIds: true, loadsAdapters: true, contextTokens: 65_536, why: '' });
  t.is(episode.verdict.outcome, 'scored', stdout);
  // 1. no model call was repeated, and its tokens are one sequence
  t.deepEqual([...server.answered.values()], [1, 1, 1, 1]);
  t.is(episode.moves.length, 4);
  t.is(sequencesOf(episode.moves).length, 1);
  // 2. only the agent, and the launcher that gave it to it, had the key
  t.deepEqual([...seen].toSorted(), ['agent', 'check-mind']);
  const said = [stdout, stderr, ...everythingIn(home)].join('\n');
  t.true(said.includes('Good enough'));
  t.false(said.includes(key));
});

/** All files of a home: what was stored by nats-server, logs, reports. */
const everythingIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'latin1')] : [],
  );

test('it says what is wrong with an endpoint, and with its options', async (t) => {
  const server = await startEndpoint(t, { script: () => ({}), vllm: false, tools: false, lora: false, window: null });
  const at = ['--base-url', server.baseUrl, '--no-episode'];
  const poor = await checkMind(t, ...at, '--model', server.model);
  t.regex(poor.stdout, /tool calls {2}in its text.*\nlogprobs {4}no\ntoken ids {3}no\nadapters {4}cannot/);
  t.regex(poor.stdout, /it does not say: 32,768[\s\S]*nothing can be learned: .*refuses requests for token ids/);
  t.regex((await checkMind(t, ...at, '--model', 'other')).stderr, /mind\/refused: model "other" at .* answered 404/);
  t.regex((await checkMind(t)).stderr, /say which endpoint: --base-url URL --model NAME/);
  t.regex((await checkMind(t, '--help')).stdout, /Examples:\n {2}npm run check:mind -- --base-url/);
});
