import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { type Finding, finding } from '#protocol/finding';
import { filesOf } from '../../services/evaluator/files.ts';
import { checkFiles } from '../../services/evaluator/static.ts';
import { readWorkspace } from '../../services/pod/workspace.ts';

const files = {
  'task.json': '{\n  "runtime": "micro",\n  "baseModel": "micro-m",\n  "spec": "spec-1"\n}\n',
  'train.toml': '# how\nsteps = 30\nlearning_rate = 1e-3\n',
  'environment.js': 'function prompts() {}\nfunction reward() {}\n',
  'notes.md': 'later: try 2e-3\n',
};
const wanted = { spec: 'spec-1', limits: { steps: 40, seconds: 30, baseModels: ['micro-s', 'micro-m'] } };

type Change = Record<string, string | null>;
function check(change: Change = {}) {
  const all = Object.entries({ ...files, ...change }).flatMap(([name, text]): [string, string][] =>
    text === null ? [] : [[name, text]],
  );
  return checkFiles(new Map(all), wanted);
}
const findings = (change: Change): readonly Finding[] => {
  const checked = check(change);
  return 'findings' in checked ? checked.findings : [];
};

test('files that are as they should be are read, with the defaults of what they leave out', (t) => {
  const checked = check();
  if (!('job' in checked)) return t.fail(JSON.stringify(checked));
  t.deepEqual(checked.job.task, { runtime: 'micro', baseModel: 'micro-m', spec: 'spec-1' });
  t.like(checked.job.train, { steps: 30, learning_rate: 0.001, group_size: 8, temperature: 1 });
  t.is(checked.job.environment, files['environment.js']);
  t.true('job' in check({ 'notes.md': null, 'train.toml': '' }));
});

const json = (change: Record<string, unknown>): string =>
  JSON.stringify({ ...JSON.parse(files['task.json']), ...change }, null, 2);
const deep = `${'['.repeat(2000)}${']'.repeat(2000)}`;
const wrong: [string, Change, string, number | null, RegExp][] = [
  ['no task', { 'task.json': null }, 'files/missing', null, /task.json is not there: a job has task.json, train.toml/],
  ['no environment', { 'environment.js': null }, 'files/missing', null, /environment.js is not there/],
  [
    'a name misspelt',
    { 'enviroment.js': '' },
    'files/unknown',
    null,
    /"enviroment.js" is no file of a job; did you mean "environment.js"/,
  ],
  ['a path', { '../../etc/passwd': '' }, 'files/unknown', null, /known are task.json/],
  ['a name from Object', { constructor: '' }, 'files/unknown', null, /"constructor"/],
  [
    'a large script',
    { 'environment.js': 'x'.repeat(65_537) },
    'files/too-large',
    null,
    /has 65537 bytes: it may have 65536/,
  ],
  ['half a character', { 'environment.js': "'\ud800'" }, 'files/not-text', null, /not UTF-8/],
  ['zeros', { 'task.json': '{}\0' }, 'files/not-text', null, /not UTF-8/],
  ['half an object', { 'task.json': '{\n  "runtime": "micro",\n' }, 'task/unreadable', 3, /task.json cannot be read/],
  [
    'a list',
    { 'task.json': '[1]' },
    'task/unreadable',
    1,
    /task.json is \[1\]: it must be an object of runtime, baseModel, spec/,
  ],
  ['null', { 'task.json': 'null' }, 'task/unreadable', 1, /is null/],
  ['lists within lists', { 'task.json': deep }, 'task/unreadable', 1, /task.json is \[\[\[/],
  [
    'an unknown key',
    { 'task.json': json({ basemodel: 'x' }) },
    'task/unknown-key',
    5,
    /"basemodel" means nothing; did you mean "baseModel"/,
  ],
  [
    '__proto__',
    { 'task.json': files['task.json'].replace('{', '{ "__proto__": 1,') },
    'task/unknown-key',
    1,
    /"__proto__"/,
  ],
  ['a missing key', { 'task.json': json({ spec: undefined }) }, 'task/unfit-value', null, /spec is missing/],
  ['another runtime', { 'task.json': json({ runtime: 'cuda' }) }, 'task/unfit-value', 2, /runtime is "cuda": .*micro/],
  [
    'another spec',
    { 'task.json': json({ spec: 'spec-2' }) },
    'task/unfit-value',
    4,
    /spec is "spec-2": this job is for "spec-1"/,
  ],
  [
    'another base',
    { 'task.json': json({ baseModel: 'gpt-9' }) },
    'task/beyond-limits',
    3,
    /"gpt-9": this spec allows micro-s or micro-m/,
  ],
  ['no TOML', { 'train.toml': 'steps = 30\nlearning_rate =\n' }, 'train/unreadable', 2, /train.toml cannot be read/],
  ['a key twice', { 'train.toml': 'steps = 1\nsteps = 2\n' }, 'train/unreadable', 2, /train.toml cannot be read/],
  ['a huge integer', { 'train.toml': 'seed = 99999999999999999999\n' }, 'train/unreadable', 1, /cannot be read/],
  [
    'an unknown knob',
    { 'train.toml': 'steps = 3\nlearning-rate = 1\n' },
    'train/unknown-key',
    2,
    /did you mean "learning_rate"/,
  ],
  [
    'an unknown table',
    { 'train.toml': '[optimizer]\nname = "sgd"\n' },
    'train/unknown-key',
    null,
    /"optimizer" means nothing; known are steps/,
  ],
  ['a text for a number', { 'train.toml': 'steps = "30"\n' }, 'train/unfit-value', 1, /steps is "30": .*number/],
  ['a fraction', { 'train.toml': 'steps = 2.5\n' }, 'train/unfit-value', 1, /steps is 2.5/],
  ['no number', { 'train.toml': '\nlearning_rate = nan\n' }, 'train/unfit-value', 2, /learning_rate is/],
  ['infinity', { 'train.toml': 'kl_coef = inf\n' }, 'train/unfit-value', 1, /kl_coef is/],
  ['too much', { 'train.toml': 'learning_rate = 5\n' }, 'train/unfit-value', 1, /learning_rate is 5: .*0\.1/],
  ['a date', { 'train.toml': 'seed = 2026-01-01\n' }, 'train/unfit-value', 1, /seed is/],
  [
    'too many steps',
    { 'train.toml': '\nsteps = 41\n' },
    'train/beyond-limits',
    2,
    /steps is 41: this spec allows at most 40/,
  ],
];
for (const [name, change, code, line, sentence] of wrong)
  test(`${code}: ${name}`, (t) => {
    const [first, ...others] = findings(change);
    t.deepEqual([first?.code, first?.line], [code as Finding['code'], line], first?.sentence);
    t.regex(first?.sentence ?? '', sentence);
    t.deepEqual(others, []);
  });

test('all that is wrong with the files is told at once', (t) => {
  const told = findings({ 'task.json': json({ runtime: 1, more: 2 }), 'train.toml': 'step = 1\ngroup_size = 1\n' });
  t.deepEqual(told.map(({ code }) => code).sort(), [
    'task/unfit-value',
    'task/unknown-key',
    'train/unfit-value',
    'train/unknown-key',
  ]);
});

const anyText = fc.oneof(
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\ufeff', '\ud800', '\ufffd', '#', '\r', '\n') }),
);

test('any texts are files of a job or findings of one line of plain text', (t) => {
  const name = fc.constantFrom('task.json', 'train.toml', 'environment.js', 'notes.md', 'x\n\ud800.js');
  const text = fc.oneof(
    anyText,
    anyText.map((one) => `steps = ${one}`),
  );
  fc.assert(
    fc.property(fc.dictionary(name, text), (change) =>
      findings({ ...change }).every(
        (one) => finding.safeParse(one).success && /^[\x20-\x7e]{10,400}$/.test(one.sentence),
      ),
    ),
    { numRuns: 300 },
  );
  t.pass();
});

test('a pod reads of a job what was checked of it, to the last character', (t) => {
  let valid = 0;
  fc.assert(
    fc.property(anyText, fc.oneof(fc.constant('# valid'), anyText), (script, comment) => {
      const change = { 'environment.js': script, 'train.toml': `${comment}\nsteps = 3` };
      const blob = Buffer.from(JSON.stringify({ ...files, ...change }));
      const read = filesOf(blob);
      const checked = checkFiles(read instanceof Map ? read : new Map(), wanted);
      if ('findings' in checked) return true;
      valid += 1;
      const pod = readWorkspace(blob);
      return pod.files['environment.js'] === checked.job.environment && isDeepStrictEqual(pod.train, checked.job.train);
    }),
    { numRuns: 300 },
  );
  t.true(valid > 20);
});
