// What a model is told: the prompt, the course of the episode, and what gives way when it becomes too long.
import test from 'ava';
import { Failed } from '#kit/boundary';
import type { ExperimentResult } from '#protocol/transcript';
import { train, workspaceFiles } from '#protocol/workspace';
import { loadEnvironment } from '#runtime/environment/environment';
import { defaultLimits } from '#runtime/environment/limits';
import { loadBase } from '#runtime/micro/base';
import { train as runTraining } from '#runtime/micro/train';
import { fill, runtimes, systemPrompt } from '../../../services/agent/openai/prompt.ts';
import { check } from '../../../services/evaluator/stages.ts';
import { checkFiles, type JobFiles } from '../../../services/evaluator/static.ts';
import { blobOf } from '../../evaluator/support/jobs.ts';
import { specOf } from '../../evaluator/support/story.ts';
import { exampleIn, filesOf } from './example.ts';
import { afresh, after, at, call, decide, endpointAt, finishing, play, saying } from './play.ts';

test.beforeEach(() => afresh());

for (const runtime of runtimes)
  test(`the prompt of ${runtime} names every file and every key of a job, with figures of the code`, async (t) => {
    const text = await systemPrompt('native', runtime);
    for (const name of Object.keys(workspaceFiles)) t.true(text.includes(`\`${name}\``), name);
    for (const name of Object.keys(train.shape)) t.true(text.includes(`- \`${name}\` (`), name);
    t.true(text.includes('(whole number, 2 to 64; 8 if left out)'));
    t.true(text.includes('(number, more than 0 to 0.1; 0.001 if left out)'));
    t.notRegex(text, /\{\{|\}\}|undefined|NaN/);
    t.throws(() => fill('{{train.nothing}}'), { message: /no figure "train.nothing"/ });
  });

test('the example of the prompt is valid in every stage, and trains', async (t) => {
  const files = filesOf(exampleIn(await systemPrompt('native')));
  const known = specOf('reverse');
  const { spec } = known;
  const wanted = { ...known, spec: { ...spec, id: 'example' } };
  const checked = checkFiles(new Map(Object.entries(files)), { spec: 'example', limits: spec.limits });
  const { findings } = await check(blobOf(files), wanted, { seed: 1, signal: new AbortController().signal });
  t.deepEqual(findings, []);
  const rewards = 'job' in checked ? await trainBriefly(checked.job) : [];
  t.is(rewards.length, steps);
  t.true((rewards.at(-1) ?? 0) > (rewards[0] ?? 1), `a few steps teach something: ${rewards.join(' ')}`);
});

const steps = 12;

/** The mean reward of each step. */
async function trainBriefly({ environment: source, train: knobs, task }: JobFiles): Promise<number[]> {
  const environment = await loadEnvironment(source, defaultLimits);
  const { weights: base } = await loadBase(task.baseModel);
  try {
    const { curve } = await runTraining({
      ...{ base, config: { ...knobs, steps } },
      prompts: (_, n) => environment.prompts(7, n),
      reward: () => Number.NaN,
      rewards: (prompt, completions) =>
        environment.rewards(
          completions.map(() => prompt),
          completions,
        ),
    });
    return curve.map(({ reward }) => reward);
  } finally {
    await environment.dispose();
  }
}

const steps30 = Array.from({ length: 30 }, (_, step) => ({
  ...{ step, reward: step / 30, loss: 0, entropy: 1, kl: 0, tokens: 10, seconds: 0.1 },
}));
const trained: ExperimentResult = {
  outcome: 'trained',
  experiment: 1,
  curve: steps30,
  seconds: 3,
  score: 0.25,
  items: 32,
};

for (const calls of ['native', 'text'] as const)
  test.serial(`an episode is told as it went: calls, results, findings, experiments (${calls})`, async (t) => {
    const wrote = { calls: [call('write_file', { file: 'notes.md', text: 'try' }), call('validate')] };
    const tried = { calls: [call('run_experiment'), call('await_experiments')] };
    const spelled = [
      '<call write_file>\n<file>notes.md</file>\n<text>\ntry\n</text>\n</call>\n<call validate>\n</call>',
      '<call run_experiment>\n</call>\n<call await_experiments>\n</call>',
    ].map((text) => ({ text }));
    const server = await saying(t, calls === 'native' ? [wrote, tried, finishing] : [...spelled, finishing]);
    const endpoint = endpointAt(server, { calls });
    const first = await play(at(server, { endpoint }), 1);
    const sentence = 'steps is 99: this spec allows at most 60';
    const findings = [{ code: 'train/beyond-limits', file: 'train.toml', line: 3, sentence } as const];
    const second = await play({ ...first, findings }, 1);
    await play({ ...second, experiments: [trained] }, 1);
    const told = server.requests[2]?.messages.slice(2) ?? [];
    const all = told.map(({ content }) => content).join('\n');
    t.regex(all, /notes\.md has 3 characters now/);
    t.regex(all, /not valid; 1 found:\n- train\/beyond-limits in train\.toml:3: steps is 99/);
    t.regex(all, /experiment 1: score 0\.250 on 32 probe items, 3\.0 s of training\n {2}step/);
    t.regex(all, / {4}0 {2}0\.000[\s\S]* {3}29 {2}0\.967/);
    t.deepEqual(
      told.map(({ role }) => role),
      calls === 'native'
        ? ['assistant', 'tool', 'tool', 'assistant', 'tool', 'tool']
        : ['assistant', 'user', 'assistant', 'user'],
    );
  });

test.serial('what it is told first is the task with its limits, and last how few answers are left', async (t) => {
  const look = { calls: [call('list_files')] };
  const server = await saying(t, [look, look, look, look]);
  const { allowance } = at(server);
  await play(at(server, { allowance: { ...allowance, moves: 4 } }), 4);
  const [system, task] = server.requests[0]?.messages ?? [];
  t.is(system?.role, 'system');
  t.regex(
    task?.content ?? '',
    /Your task: Train a model to reverse[\s\S]*must be "s1"[\s\S]*At most 4 experiments, and 4 answers/,
  );
  t.regex(server.requests[1]?.messages.at(-1)?.content ?? '', /You have 3 answers left/);
  t.regex(server.requests[3]?.messages.at(-1)?.content ?? '', /This is your last answer: submit in it/);
});

const long = (what: string): string => `${what} `.repeat(600);

for (const calls of ['native', 'text'] as const)
  test.serial(
    `a window that is too small loses the oldest texts, one line for each, and never the newest (${calls})`,
    async (t) => {
      const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'];
      const spell = (word: string) =>
        `<call write_file>\n<file>${word}.js</file>\n<text>\n${long(word)}\n</text>\n</call>`;
      const answers = words.map((word) =>
        calls === 'native'
          ? { calls: [call('write_file', { file: `${word}.js`, text: long(word) })] }
          : { text: spell(word) },
      );
      const server = await saying(t, answers, { window: 9_000 });
      await play(at(server, { endpoint: endpointAt(server, { calls }) }), words.length + 1);
      const requests = server.requests.map(({ messages }) => JSON.stringify(messages));
      const last = requests.at(-1) ?? '';
      t.regex(
        last,
        /\[dropped to make room: .{0,4}text.{0,4} of write_file alpha\.js, 3600 characters; read_file shows the file/,
      );
      t.false(last.includes(long('alpha').trim()));
      for (const [move, word] of words.entries())
        t.true(requests[move + 1]?.includes(long(word).trim()), `${word} is shown to the move after it`);
      for (const request of requests) t.regex(request, /Your task: Train a model to reverse/);
      // much goes at once: most prompts go on where the one before ended
      const grew = requests.filter((text, move) => text.startsWith((requests[move - 1] ?? '').slice(0, -1))).length;
      t.true(grew > words.length / 2, `${grew} of ${requests.length}`);
    },
  );

test.serial(
  'a newest text that no window can hold is shortened too; a task that does not fit is a failure',
  async (t) => {
    const huge = { calls: [call('write_file', { file: 'a.js', text: 'x'.repeat(60_000) })] };
    const server = await saying(t, [huge, finishing], { window: 9_000 });
    const second = await play(at(server), 2);
    t.regex(JSON.stringify(server.requests.at(-1)), /dropped to make room: .{0,4}text/);
    t.is(second.moves.length, 2);
    const tiny = await saying(t, [], { window: 2_048 });
    const error = await t.throwsAsync(decide(tiny));
    t.true(error instanceof Failed && error.code === 'mind/no-room', String(error));
    t.regex(error?.message ?? '', /does not fit into the 2048 tokens .* larger window/);
  },
);

test.serial('an endpoint that counts more tokens than were estimated is asked again with less', async (t) => {
  const many = { calls: [call('write_file', { file: 'a.js', text: '0123456789'.repeat(900) })] };
  // it has less room than the run believes, and says so only when it is asked
  const server = await saying(t, [many, many, finishing], { window: 7_000 });
  const endpoint = endpointAt(server, { contextTokens: 14_000 });
  const moment = await play(at(server, { endpoint }), 3);
  t.is(moment.moves.length, 3);
  const decision = await decide(server, { ...moment, endpoint });
  t.is(after(moment, decision).moves.length, 4);
});
