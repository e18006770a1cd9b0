import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { episodeStart } from '#protocol/episode';
import { failure, failureCodes } from '#protocol/failure';
import { diagram, life } from '#protocol/life';
import { allowance } from '#protocol/mind';
import { services } from '#protocol/roles';
import { consumers, streams } from '#protocol/streams';
import { version } from '#protocol/version';
import { root } from '../support/root.ts';

const pods = life('pod', { starting: ['ready', 'lost'], ready: ['lost'], lost: [] });

test('a life allows its steps and refuses others with a sentence that says what comes next', (t) => {
  t.is(pods.step('starting', 'ready'), 'ready');
  t.true(pods.ended('lost'));
  t.false(pods.ended('ready'));
  t.throws(() => pods.step('ready', 'starting'), {
    message: 'a pod cannot go from "ready" to "starting": after "ready" comes "lost"',
  });
  t.throws(() => pods.step('lost', 'ready'), { message: /after "lost" comes nothing/ });
});

test('a life is drawn as a diagram with each of its steps', (t) => {
  t.is(diagram(pods), 'stateDiagram-v2\n    starting --> ready\n    starting --> lost\n    ready --> lost');
});

test('a failure names a code of the table and a boundary', (t) => {
  for (const code of Object.keys(failureCodes))
    t.regex(code, /^(bus|edge|blob|route|run|mind|job|pod|evaluator)\/[a-z-]+$/);
  t.true(failure.safeParse({ code: 'bus/too-large', detail: '5 MB' }).success);
  t.false(failure.safeParse({ code: 'bus/unheard-of', detail: '' }).success);
});

test('no two streams have one name, and no two of an account take the same subjects', (t) => {
  const all = streams();
  t.is(new Set(all.map(({ name }) => name)).size, all.length);
  const subjects = all.flatMap(({ account, subjects }) =>
    subjects.map((subject) => `${account} ${subject.replace(/>$/, '')}`),
  );
  for (const one of subjects)
    t.deepEqual(
      subjects.filter((other) => other.startsWith(one)),
      [one],
    );
});

test('every service has its consumers, each in a stream that takes what it filters', (t) => {
  for (const { stream, name, filter } of consumers())
    t.true(
      stream.subjects.some((subject) => filter.startsWith(subject.replace(/>$/, ''))),
      `${stream.name} ${name}`,
    );
  for (const service of services)
    t.true(consumers().some(({ filter, name }) => name === 'turns' && filter === `msg.${service}.>`));
});

test('the version is that of the package', (t) => {
  t.is(version, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
});

test('a mind is told the words and limits of its spec, and neither its family nor whether it is held out', (t) => {
  const { task } = episodeStart.body.parse(told);
  t.deepEqual(Object.keys(task), ['id', 'text', 'limits']);
  for (const more of [{ family: 'reverse' }, { use: 'held-out' }])
    t.false(episodeStart.body.safeParse({ ...told, task: { ...told.task, ...more } }).success);
});

const told = {
  ...{
    run: 'r1',
    episode: 'g0-0',
    group: 'g0',
    purpose: 'training',
    spec: 's1',
    policy: 0,
    formula: 'reference',
    begunAt: 1_000,
  },
  ...{ mind: 'catalogue', endpoint: null, allowance: allowance.parse({}), family: 'reverse' },
  ...{ seed: 1, policyBlob: '0'.repeat(64) },
  task: {
    id: 's1',
    text: 'train a model to reverse the word',
    limits: { steps: 60, seconds: 30, baseModels: ['micro-m'], experiments: 4 },
  },
} as const;
