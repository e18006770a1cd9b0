import test from 'ava';
import fc from 'fast-check';
import type { Finding, FindingCode } from '#protocol/finding';
import { type ExperimentResult, type Move, probabilities } from '#protocol/transcript';
import type { Workspace } from '#protocol/workspace';
import { catalogue } from '../../services/agent/catalogue/mind.ts';
import { operations } from '../../services/agent/catalogue/operations.ts';
import { nextSteps } from '../../services/agent/catalogue/points.ts';
import { readSpec } from '../../services/agent/catalogue/reading.ts';
import type { Moment } from '../../services/agent/mind.ts';
import { stream } from '../../services/evaluator/draw.ts';
import { families } from '../../services/evaluator/families.ts';
import { checkFiles } from '../../services/evaluator/static.ts';
import { done, good, moment, surely, task } from './scene.ts';

const finding = (code: FindingCode, file: string, sentence: string): Finding => ({ code, file, line: 1, sentence });

/** Plays until a job lies there: the moves so far, and the files. */
async function written(weights: Record<string, number>, given: Partial<Moment> = {}) {
  const first = moment(weights, given);
  const looked = done(await catalogue.decide(first), first);
  const second = { ...first, moves: [looked.move] };
  const wrote = done(await catalogue.decide(second), second);
  return { moves: [looked.move, wrote.move], files: wrote.files };
}
const last = ({ calls }: Move): string | undefined => calls.at(-1)?.tool;
const tableOf = (files: Workspace): Map<string, string> => new Map(Object.entries(files));

test('the same moment leads to the same decision', async (t) => {
  const first = moment({});
  t.deepEqual(await catalogue.decide(first), await catalogue.decide(first));
});

test('it looks at the baselines first, then writes the files of a job, then has them checked or submits', async (t) => {
  const { moves, files } = await written(good);
  t.deepEqual(moves.map(last), ['get_baseline_scores', 'submit']);
  t.deepEqual(Object.keys(files), ['task.json', 'train.toml', 'environment.js', 'notes.md']);
  const checked = checkFiles(tableOf(files), { spec: task.id, limits: task.limits });
  t.true('job' in checked, JSON.stringify(checked));
});

test('the same seed, episode and move choose the same; another one of them does not', async (t) => {
  const one = await written({});
  t.deepEqual(await written({}), one);
  t.notDeepEqual((await written({}, { seed: 8 })).files, one.files);
  t.notDeepEqual((await written({}, { episode: 'r1.e2' })).files, one.files);
});

test('what is written down of a choice gives its probability again', async (t) => {
  const { moves } = await written({ 'operation fits': 2, 'reward exact': 1 });
  const choices = moves.flatMap((one) => one.choices);
  t.true(choices.length >= 13);
  for (const { options, chosen, logprob } of choices)
    t.is(Math.log(probabilities({ 'operation fits': 2, 'reward exact': 1 }, options)[chosen] ?? 0), logprob);
});

test('a trained policy and an untrained one write other jobs', async (t) => {
  const episodes = Array.from({ length: 40 }, (_, at) => `r1.e${at}`);
  const exact = async (weights: Record<string, number>) => {
    const all = await Promise.all(episodes.map((episode) => written(weights, { episode })));
    return all.filter(({ files }) => files['environment.js']?.includes('Paid: exact')).length;
  };
  t.true((await exact({})) < 15);
  t.is(await exact(good), 40);
});

async function afterFindings(weights: Record<string, number>, findings: Finding[]) {
  const { moves, files } = await written(weights);
  const third = moment(weights, { moves, files, findings });
  return { before: files, ...done(await catalogue.decide(third), third) };
}

test('it repairs the knob that a finding names, by an edit of its line', async (t) => {
  const sentence = 'steps is 200: this spec allows at most 60';
  const weights = { ...good, ...surely('steps 200'), 'steps 60': 0, 'steps beyond': 0 };
  const { move, before, files } = await afterFindings(weights, [
    finding('train/beyond-limits', 'train.toml', sentence),
  ]);
  t.regex(before['train.toml'] ?? '', /^steps = 200$/m);
  t.notRegex(files['train.toml'] ?? '', /^steps = 200$/m);
  t.true(move.calls.some(({ tool, input }) => tool === 'edit_file' && input.old === 'steps = 200'));
  t.is(last(move), 'submit');
});

test('it spells the keys otherwise when they mean nothing', async (t) => {
  const { files } = await afterFindings({ ...good, ...surely('spelling camelCase'), 'spelling snake_case': 0 }, [
    finding('train/unknown-key', 'train.toml', '"learningRate" means nothing; did you mean "learning_rate"?'),
  ]);
  t.true('job' in checkFiles(tableOf(files), { spec: task.id, limits: task.limits }));
});

test('it pays otherwise when a reward was found wanting, and never again as before', async (t) => {
  const { before, files } = await afterFindings({ ...good, ...surely('blame reward') }, [
    finding('red-team/rewards-equal', 'environment.js', 'all 48 completions of the base model are worth 0'),
  ]);
  t.regex(before['environment.js'] ?? '', /Paid: exact/);
  t.notRegex(files['environment.js'] ?? '', /Paid: exact/);
});

test('it gives up, or submits all the same, when its policy is to', async (t) => {
  const found = [finding('environment/threw', 'environment.js', 'it threw')];
  const after = async (what: string) => {
    const { move } = await afterFindings({ ...good, ...surely(what), 'wanting repair': 0 }, found);
    return last(move);
  };
  t.is(await after('wanting finish'), 'finish');
  t.is(await after('wanting submit'), 'submit');
});

test('what was validated without a finding is submitted', async (t) => {
  const { move } = await afterFindings(good, []);
  t.is(last(move), 'submit');
});

const trained = (experiment: number, score: number): ExperimentResult => ({
  ...{ outcome: 'trained', experiment, curve: [], seconds: 4, score, items: 50 },
});
/** Plays until two experiments are under way, and on with what came of them. */
async function afterExperiments(experiments: ExperimentResult[]) {
  const { moves, files } = await written({ ...good, 'check submit': 0, 'check experiment': 300 });
  const third = moment(good, { moves, files, experiments, begun: 2 });
  return { tried: moves[1], before: files, ...done(await catalogue.decide(third), third) };
}
const rateIn = (files: Workspace): number => Number(/^learning_rate = (.*)$/m.exec(files['train.toml'] ?? '')?.[1]);

test('it may try a job beside one with another learning rate, and submits the better one', async (t) => {
  const { tried, before, files, move } = await afterExperiments([trained(1, 0.2), trained(2, 0.6)]);
  const tools = tried?.calls.map(({ tool }) => tool) ?? [];
  t.is(tools.filter((tool) => tool === 'run_experiment').length, 2);
  t.is(tools.at(-1), 'await_experiments');
  t.deepEqual(
    move.calls.map(({ tool }) => tool),
    ['submit'],
  );
  t.is(rateIn(files), rateIn(before));
  // 2. the rival was tried first
  const won = await afterExperiments([trained(2, 0.2), trained(1, 0.6)]);
  t.is(last(won.move), 'submit');
  t.not(rateIn(won.files), rateIn(before));
  t.true('job' in checkFiles(tableOf(won.files), { spec: task.id, limits: task.limits }));
  t.deepEqual({ ...won.files, 'train.toml': '', 'notes.md': '' }, { ...before, 'train.toml': '', 'notes.md': '' });
});

test('of two experiments one that failed is worth less than any score, and findings are repaired', async (t) => {
  const failure = { code: 'job/diverged', detail: 'step 3 has a loss of NaN' } as const;
  const failed: ExperimentResult = { outcome: 'failed', experiment: 2, curve: [], seconds: 1, failure };
  const { before, files } = await afterExperiments([trained(1, 0), failed]);
  t.not(rateIn(files), rateIn(before));
  const findings = [finding('red-team/rewards-equal', 'environment.js', 'all are worth 0')];
  const invalid = [1, 2].map((experiment) => ({ outcome: 'invalid', experiment, findings }) as const);
  const mended = await afterExperiments(invalid);
  t.notDeepEqual(mended.files, mended.before);
  t.is(mended.move.choices[0]?.point, 'wanting');
});

test('it tries nothing where the task allows fewer than two more', async (t) => {
  const some = { ...good, 'check submit': 0, 'check experiment': 300 };
  const limits = { ...task.limits, experiments: 1 };
  const { moves } = await written(some, { task: { ...task, limits } });
  const later = await written(some, { begun: 3 });
  for (const { calls } of [...moves, ...later.moves]) t.false(calls.some(({ tool }) => tool === 'run_experiment'));
});

test('untrained, it tries one job in thirty or so', async (t) => {
  const options = nextSteps.check(true);
  const [share = 0] = probabilities({}, options).slice(-1);
  t.is(options.at(-1)?.name, 'experiment');
  t.true(share > 0.02 && share < 0.06, String(share));
});

test('no finding whatever makes it throw', async (t) => {
  const { moves, files } = await written({});
  const any = fc.record({
    code: fc.constantFrom<FindingCode>('files/missing', 'task/unreadable', 'train/unfit-value', 'environment/time'),
    file: fc.constantFrom('task.json', 'train.toml', 'environment.js', 'workspace'),
    line: fc.constant(null),
    sentence: fc.string(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(any, { maxLength: 5 }), async (findings) => {
      const { calls } = await catalogue.decide(moment({}, { moves, files, findings }));
      return calls.length > 0;
    }),
  );
  t.pass();
});

test('every family has a block whose answers are those of its examples', (t) => {
  for (const { name, use, spec } of families.filter((one) => one.use !== 'impossible')) {
    const texts = Array.from({ length: 20 }, (_, at) => spec(stream('blocks', name, String(at))).text);
    const fitting = texts.map((text) => [...readSpec(text).fits].filter(([, fits]) => fits === 1).length);
    t.true(
      fitting.some((count) => count > 0),
      `${name} (${use}): none of ${Object.keys(operations).length} blocks`,
    );
  }
});

test('limits of words are read in every wording', (t) => {
  for (const { name, spec } of families)
    for (let at = 0; at < 50; at += 1) {
      const { text, parameters } = spec(stream('reading', name, String(at)));
      const { shortest, longest, letters } = readSpec(text);
      t.like(parameters, { shortest, longest, letters }, text);
    }
});
