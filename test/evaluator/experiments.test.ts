import test from 'ava';
import fc from 'fast-check';
import { episodeFailed, episodeGraded, episodeOverdue, workspaceChecked } from '#protocol/episode';
import { experimentChecked, experimentEnded } from '#protocol/experiment';
import type { Failure } from '#protocol/failure';
import { jobFailed } from '#protocol/job';
import type { ExperimentResult } from '#protocol/transcript';
import { catalogue } from '../../services/evaluator/catalogue.ts';
import { failedBy, measured } from '../../services/evaluator/experiments.ts';
import { families } from '../../services/evaluator/families.ts';
import { hiddenItems, probeItems } from '../../services/evaluator/measure.ts';
import { keepSecret } from '../../services/evaluator/secret.ts';
import {
  checked,
  episode,
  graded,
  hash,
  messagesOf,
  play,
  type Said,
  say,
  submitted,
  verdictsOf,
} from './support/story.ts';

const job = { runtime: 'micro', baseModel: 'micro-m', seconds: 30 } as const;
const isValid = (experiment: number): Said =>
  say(experimentChecked, { ...episode, experiment, workspace: hash('d'), job });
const hasEnded = (result: ExperimentResult): Said => say(experimentEnded, { ...episode, result });

const step = (n: number) => ({ step: n, reward: 0.5, loss: 0, entropy: 1, kl: 0, tokens: 9, seconds: 0.1 });
const curve = Array.from({ length: 60 }, (_, n) => step(n));
const trained = (experiment: number): Said => hasEnded(measured([1, 0, 0, 0], experiment, { curve, seconds: 4 }));
const gone: Failure = { code: 'pod/lost', detail: 'gone' };
const lost = (experiment: number): Said =>
  say(jobFailed, { ...submitted('d'), job: `e1-x${experiment}`, experiment, failure: gone });
const finding = { code: 'files/missing', file: 'task.json', line: null, sentence: 'it is not there' } as const;
const invalid = (experiment: number): Said => hasEnded({ outcome: 'invalid', experiment, findings: [finding] });

const valid = say(workspaceChecked, checked('a', true));
const good = say(episodeGraded, graded('a', [1, 1, 1, 0]));
const overdue = say(episodeOverdue, { ...episode, seconds: 180 });
const tell = (story: readonly Said[]) => messagesOf(play(story).sent, 'experiment-told').map(({ body }) => body.result);

test('a valid experiment is a job of its own name, and its agent is told of curve, seconds and probe score', (t) => {
  const { state, sent } = play([isValid(1), isValid(2), trained(2)]);
  t.like(messagesOf(sent, 'job-submit'), [
    { to: 'pool', body: { job: 'e1-x1', experiment: 1, workspace: hash('d'), ...job } },
    { to: 'pool', body: { job: 'e1-x2', experiment: 2 } },
  ]);
  t.deepEqual(verdictsOf(sent), []);
  t.is(state.phase, 'open');
  const [told] = messagesOf(sent, 'experiment-told');
  t.like(told, {
    to: 'agent',
    body: { result: { outcome: 'trained', experiment: 2, score: 0.25, items: 4, seconds: 4 } },
  });
});

test('a curve is told as twenty of its steps, the first and the last among them', (t) => {
  const { curve: told } = measured([1], 1, { curve, seconds: 1 }) as { curve: { step: number }[] };
  const steps = told.map(({ step }) => step);
  t.is(new Set(steps).size, 20);
  t.deepEqual([steps[0], steps.at(-1)], [0, 59]);
  for (const length of [0, 1, 20])
    t.is(failedBy(gone, 1, { curve: curve.slice(0, length), seconds: 1 }).outcome, 'failed');
});

test('one that is invalid or fails is told, costs no validity, and never ends its episode', (t) => {
  const story = [invalid(1), isValid(2), lost(2), isValid(3), hasEnded(failedBy(gone, 3)), valid, good];
  const { sent } = play(story);
  t.deepEqual(tell(story), [
    { outcome: 'invalid', experiment: 1, findings: [finding] },
    failedBy(gone, 2),
    failedBy(gone, 3),
  ]);
  t.like(verdictsOf(sent)[0], { outcome: 'scored', invalid: 0, parts: { validity: 1 }, jobs: 3 });
});

test('the cost of an episode is that of its experiments too', (t) => {
  const { sent } = play([isValid(1), trained(1), isValid(2), trained(2), invalid(3), valid, good]);
  t.like(verdictsOf(sent)[0], { jobs: 3, podSeconds: 11, seconds: 3 });
  t.like(verdictsOf(play([isValid(1), trained(1), overdue]).sent)[0], { outcome: 'failed', jobs: 1, podSeconds: 4 });
});

test('a submission, a failure and a deadline cancel what is under way, and nothing of it begins or is told later', (t) => {
  const broken = say(episodeFailed, { ...episode, failure: gone });
  for (const end of [valid, broken, overdue]) {
    const { sent } = play([isValid(1), isValid(2), trained(2), end, isValid(3)]);
    t.deepEqual(
      messagesOf(sent, 'job-cancel').map(({ body }) => body),
      [{ run: 'r1', job: 'e1-x1' }],
    );
    t.is(messagesOf(sent, 'job-submit').filter(({ body }) => body.experiment === 3).length, 0);
  }
  t.is(tell([isValid(1), overdue, trained(1)]).length, 0);
});

test('whatever times a pod tells, an episode ends', (t) => {
  const longest = 1e9;
  const told = [1, 2, 3, 4].flatMap((n) => [isValid(n), hasEnded(failedBy(gone, n, { curve: [], seconds: longest }))]);
  t.like(verdictsOf(play([...told, overdue]).sent)[0], { outcome: 'failed', podSeconds: 4 * longest });
  t.like(verdictsOf(play([...told, valid, good]).sent)[0], { outcome: 'scored', podSeconds: 4 * longest + 3 });
});

const isOnce = (numbers: readonly unknown[]): boolean => new Set(numbers).size === numbers.length;

test('whatever is told, in whatever order and however often, an experiment is run and told at most once', (t) => {
  const one = [isValid(1), trained(1), lost(1), invalid(1)];
  const two = [isValid(2), trained(2), lost(2), invalid(2)];
  const anyOf = fc.constantFrom(...one, ...two, valid, good, overdue);
  fc.assert(
    fc.property(fc.array(anyOf, { maxLength: 16 }), (any) => {
      const doubled = any.flatMap((said) => [said, said]);
      for (const story of [any, doubled, [...any, ...any]]) {
        const { sent } = play(story);
        const run = messagesOf(sent, 'job-submit').map(({ body }) => body.experiment);
        const told = messagesOf(sent, 'experiment-told').map(({ body }) => Object(body.result).experiment);
        if (!isOnce(run) || !isOnce(told)) return false;
        if (verdictsOf(sent).length > 1) return false;
      }
      return JSON.stringify(tell(any)) === JSON.stringify(tell(doubled));
    }),
    { numRuns: 300 },
  );
  t.pass();
});

for (const { name } of families)
  test(`${name}: no probe item is a hidden one, and there are enough of both`, (t) => {
    keepSecret('a secret of this test');
    for (const known of [...catalogue.values()].filter(({ family }) => family.name === name)) {
      const hidden = new Set(hiddenItems(known).map(({ prompt }) => prompt));
      const probes = probeItems(known).map(({ prompt }) => prompt);
      t.deepEqual(
        probes.filter((prompt) => hidden.has(prompt)),
        [],
      );
      t.is(new Set(probes).size, 50);
      t.is(hidden.size, 100);
    }
  });
