import test from 'ava';
import fc from 'fast-check';
import { episodeFailed, episodeFinish, episodeGraded, episodeOverdue, workspaceChecked } from '#protocol/episode';
import type { Failure } from '#protocol/failure';
import { jobFailed } from '#protocol/job';
import { baseline, baselineMeasured } from '#protocol/verdict';
import {
  checked,
  episode,
  graded,
  hash,
  messagesOf,
  play,
  type Said,
  say,
  specOf,
  submitted,
  verdictsOf,
} from './support/story.ts';

const valid = say(workspaceChecked, checked('a', true));
const refused = (letter: string) => say(workspaceChecked, checked(letter, false));
const good = say(episodeGraded, graded('a', [1, 1, 1, 0]));
const finish = say(episodeFinish, { ...episode, transcript: hash('f'), workspace: hash('f') });
const overdue = say(episodeOverdue, { ...episode, seconds: 180 });
const lost: Failure = { code: 'pod/lost', detail: 'gone' };
const podLost = say(jobFailed, { ...submitted('a'), failure: lost });
const broken = say(episodeFailed, { ...episode, failure: { code: 'edge/threw', detail: 'it broke' } });

test('a valid submission becomes a job, its score the reward, and all who wait are told once', (t) => {
  const { state, sent } = play([valid, good]);
  const [job] = messagesOf(sent, 'job-submit');
  t.is(job?.to, 'pool');
  t.like(job?.body, { job: 'e1', workspace: hash('a'), runtime: 'micro', baseModel: 'micro-s', seconds: 30 });
  t.deepEqual(messagesOf(sent, 'findings-told')[0]?.body.findings, []);
  t.deepEqual(
    messagesOf(sent, 'episode-ended').map(({ to }) => to),
    ['learner', 'conductor', 'agent'],
  );
  // 0.35 + 0.60 (0.25 · 0.75 + 0.75 · 0.75) + 0.05 · 0.75
  t.is(state.phase, 'scored');
  const [verdict] = verdictsOf(sent);
  t.true(Math.abs((verdict?.reward ?? 0) - 0.8375) < 1e-9);
  t.like(verdict, { outcome: 'scored', family: 'reverse', invalid: 0, baseModel: 'micro-s', jobs: 1, seconds: 3 });
  t.is(verdict?.transcript, hash('a'));
});

test('an invalid submission is told and counted once, and costs a quarter of the validity', (t) => {
  const { sent } = play([refused('b'), refused('b'), valid, good]);
  t.like(messagesOf(sent, 'findings-told')[0]?.body, { submit: true, findings: [{ code: 'files/missing' }] });
  t.like(verdictsOf(sent)[0], { invalid: 1, parts: { validity: 0.75 }, findings: [] });
});

test('what is only to be validated is told, and decides nothing', (t) => {
  const { state, sent } = play([
    say(workspaceChecked, checked('a', true, false)),
    say(workspaceChecked, checked('b', false, false)),
  ]);
  t.is(messagesOf(sent, 'findings-told').length, 2);
  t.is(sent.length, 2);
  t.is(state.phase, 'open');
});

test('after a valid submission, later ones change nothing', (t) => {
  const { sent } = play([valid, say(workspaceChecked, checked('c', true)), refused('d'), good]);
  t.is(messagesOf(sent, 'job-submit').length, 1);
  t.like(verdictsOf(sent)[0], { workspace: hash('a'), invalid: 0, outcome: 'scored' });
});

test('an episode without a valid submission is invalid, and worth nothing', (t) => {
  const { sent } = play([refused('b'), finish]);
  t.like(verdictsOf(sent)[0], { outcome: 'invalid', reward: 0, jobs: 0, invalid: 1, transcript: hash('f') });
  t.is(verdictsOf(sent)[0]?.findings.length, 1);
  t.like(verdictsOf(play([finish]).sent)[0], { outcome: 'invalid', reward: 0, invalid: 0, parts: { validity: 0 } });
});

test('the fourth invalid submission ends an episode', (t) => {
  const { sent } = play([refused('a'), refused('b'), refused('c')]);
  t.deepEqual(verdictsOf(sent), []);
  t.like(verdictsOf(play([refused('a'), refused('b'), refused('c'), refused('d'), valid]).sent)[0], {
    outcome: 'invalid',
    reward: 0,
    invalid: 4,
  });
});

test('a job that failed, an edge that failed and a deadline make a failure, which has no reward', (t) => {
  for (const [what, code] of [
    [podLost, 'pod/lost'],
    [broken, 'edge/threw'],
    [overdue, 'route/episode-overdue'],
  ] as const) {
    const { sent } = play([valid, what]);
    t.like(verdictsOf(sent)[0], { outcome: 'failed', reward: null, parts: null, failure: { code } });
    t.is(messagesOf(sent, 'job-cancel').length, what === podLost ? 0 : 1);
  }
  t.is(messagesOf(play([overdue]).sent, 'job-cancel').length, 0);
});

test('a score of other bytes than those found valid is not accepted', (t) => {
  t.deepEqual(verdictsOf(play([valid, say(episodeGraded, graded('z', [1, 1]))]).sent), []);
  t.deepEqual(verdictsOf(play([good]).sent), []);
  const other = say(jobFailed, { ...submitted('z'), failure: lost });
  t.deepEqual(verdictsOf(play([valid, other]).sent), []);
});

test('evidence that is no evidence is a failure, never a reward', (t) => {
  const { sent } = play([valid, say(episodeGraded, { ...graded('a', [1, 0]), baselines: { 'micro-s': [0] } })]);
  t.like(verdictsOf(sent)[0], { outcome: 'failed', reward: null, failure: { code: 'evaluator/unfit-evidence' } });
});

test('on an impossible family a score that is no chance is found, and worth nothing', (t) => {
  const impossible = { spec: specOf('secret-digit').spec.id };
  const ends = (after: number[]) =>
    verdictsOf(
      play([
        say(workspaceChecked, { ...checked('a', true), ...impossible }),
        say(episodeGraded, graded('a', after, impossible)),
      ]).sent,
    )[0];
  const scores = (right: number) => Array.from({ length: 100 }, (_, at) => (at < right ? 1 : 0));
  t.like(ends(scores(60)), { outcome: 'scored', reward: 0, findings: [{ code: 'score/impossible' }] });
  t.regex(ends(scores(60))?.findings[0]?.sentence ?? '', /60 of 100 answers are right where chance gives 10/);
  t.is(ends(scores(14))?.findings.length, 0);
  t.true((ends(scores(14))?.reward ?? 0) > 0);
});

test('an episode of a spec that nobody knows can end too', (t) => {
  const { sent } = play([say(episodeOverdue, { ...episode, spec: 'unheard', seconds: 1 })]);
  t.like(verdictsOf(sent)[0], { outcome: 'failed', family: 'unknown', text: '' });
});

const ends = [good, podLost, broken, finish, overdue];
const others = [valid, say(workspaceChecked, checked('c', true)), ...['b', 'd', 'e', 'f', '9'].map(refused)];

test('whatever is told, in whatever order and however often, an episode with a deadline ends exactly once', (t) => {
  const any = fc.constantFrom<Said>(...ends, ...others);
  const story = fc
    .tuple(fc.array(any, { maxLength: 12 }), fc.array(any, { maxLength: 12 }))
    .map(([before, after]) => [...before, overdue, ...after]);
  fc.assert(
    fc.property(story, (told) => {
      const doubled = told.flatMap((one) => [one, one]);
      for (const order of [told, doubled, [...told, ...told]]) {
        const { sent } = play(order);
        if (verdictsOf(sent).length !== 1 || messagesOf(sent, 'episode-ended').length !== 3) return false;
        if (messagesOf(sent, 'job-submit').length > 1) return false;
      }
      return verdictsOf(play(told).sent)[0]?.outcome === verdictsOf(play(doubled).sent)[0]?.outcome;
    }),
    { numRuns: 300 },
  );
  t.pass();
});

test('the score or the deadline, whichever comes first, and then nothing changes any more', (t) => {
  t.is(verdictsOf(play([valid, good, overdue]).sent)[0]?.outcome, 'scored');
  t.is(verdictsOf(play([valid, overdue, good]).sent)[0]?.outcome, 'failed');
  const { state } = play([valid, good]);
  t.deepEqual(play([valid, good, overdue, podLost, broken, finish, refused('b'), valid, good]).state, state);
});

test('baselines are pinned once for what they were measured with, and anew when that changes', (t) => {
  const measured = (fingerprint: string, score: number) =>
    say(baselineMeasured, { spec: 's1', scores: { 'micro-s': [score] }, fingerprint });
  const { sent } = play([measured('one', 0), measured('one', 0), measured('two', 1), measured('two', 1)]);
  t.deepEqual(
    sent.map((one) => (one.kind === 'value' ? [one.value.name, one.body.version] : [])),
    [
      [baseline.name, 1],
      [baseline.name, 2],
    ],
  );
});
