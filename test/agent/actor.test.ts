import test from 'ava';
import fc from 'fast-check';
import type { Sent } from '#kit/actor';
import { episodeFailed, episodeFinish, episodeStart, findingsTold, workspaceCheck } from '#protocol/episode';
import { experimentCheck, experimentTold } from '#protocol/experiment';
import type { Finding } from '#protocol/finding';
import type { Message } from '#protocol/message';
import { moveFailed, moveMade, moveWanted } from '#protocol/move';
import type { ExperimentResult } from '#protocol/transcript';
import { episodeEnded } from '#protocol/verdict';
import { agent } from '../../services/agent/actor.ts';
import { baton, hash, start } from './scene.ts';

const mostMoves = start.allowance.moves;

type Said = { readonly message: Message<never>; readonly body: unknown };
const say = <B>(message: Message<B>, body: B): Said => ({ message: message as Message<never>, body });

const transcript = (move: number): string => hash((move % 16).toString(16));
const finding: Finding = { code: 'environment/threw', file: 'environment.js', line: 1, sentence: 'it threw' };

const begin = say(episodeStart, start);
type Next = 'go on' | 'await' | 'validate' | 'submit' | 'finish';
const made = (move: number, next: Next, ...begun: number[]): Said => {
  const experiments = begun.map((experiment) => ({ experiment, workspace: hash('d') }));
  return say(moveMade, { ...baton, move, transcript: transcript(move), workspace: hash('e'), experiments, next });
};
const tried = (experiment: number, result: ExperimentResult = failed(experiment)): Said =>
  say(experimentTold, { ...baton, result });
const failed = (experiment: number): ExperimentResult => ({
  ...{ outcome: 'failed', experiment, curve: [], seconds: 1 },
  failure: { code: 'job/diverged', detail: 'step 3 has a loss of NaN' },
});
const told = (move: number, submit: boolean, findings: Finding[]): Said =>
  say(findingsTold, { ...baton, transcript: transcript(move), submit, findings });
const ended = say(episodeEnded, {
  ...{ ...baton, family: 'reverse', outcome: 'scored', reward: 1, parts: null, failure: null },
  ...{ transcript: null, jobs: 1, podSeconds: 1 },
});

/** What is sent, as `name`, and for moves how many were made before. */
function tell(story: readonly Said[]): { phase: string; sent: string[] } {
  let state = agent.initial;
  const sent: Sent[] = [];
  for (const { message, body } of story) {
    const turn = agent.step(state, { message, body: body as never }, { address: 'r1.e1', now: 1 });
    state = turn.state;
    sent.push(...turn.sent);
  }
  return { phase: state.phase, sent: sent.map(nameOf) };
}
const nameOf = (one: Sent): string => {
  if (one.kind !== 'message') return 'value';
  const name = one.sealed.subject.split('.').at(-1) ?? '';
  return name === moveWanted.name ? `move ${Object(one.sealed.body).move}` : name;
};

const whole = [
  begin,
  made(0, 'go on'),
  made(1, 'validate'),
  told(1, false, [finding]),
  made(2, 'await', 1, 2),
  tried(2),
  tried(1),
  made(3, 'submit', 3),
  told(3, true, [finding]),
  tried(3),
  made(4, 'submit'),
  told(4, true, []),
  ended,
];
const check = workspaceCheck.name;
const trial = experimentCheck.name;

test('an episode is a chain of moves, with checks and experiments where they are asked for', (t) => {
  const sent = [...['move 0', 'move 1', check, 'move 2', trial, trial, 'move 3', trial, check, 'move 4', check]];
  t.deepEqual(tell(whole), { phase: 'over', sent });
});

test('whatever is told twice, at once or late, changes nothing', (t) => {
  const expected = tell(whole);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(whole.length)), { maxLength: 12 }), (again) => {
      const story = whole.flatMap((said, at) => [
        said,
        ...again.filter(([which, when]) => which <= at && when === at).map(([which]) => whole[which] ?? said),
      ]);
      t.deepEqual(tell(story), expected);
      return true;
    }),
  );
});

test('what comes before its time, in any order, is not acted on', (t) => {
  fc.assert(
    fc.property(fc.shuffledSubarray(whole.slice(0, -1), { minLength: whole.length - 1 }), (shuffled) => {
      const all = tell(whole).sent;
      const { sent } = tell(shuffled);
      t.deepEqual(sent, all.slice(0, sent.length));
      return true;
    }),
  );
});

test('findings come to the next move', (t) => {
  let state = agent.initial;
  for (const { message, body } of [begin, made(0, 'validate')])
    state = agent.step(state, { message, body: body as never }, { address: 'r1.e1', now: 1 }).state;
  const { message, body } = told(0, false, [finding]);
  const { sent } = agent.step(state, { message, body: body as never }, { address: 'r1.e1', now: 1 });
  t.like(sent[0], {
    sealed: { body: { move: 1, findings: [finding], transcript: transcript(0), workspace: hash('e') } },
  });
});

/** What the mind is told when it is asked for its last move of a story. */
function lastAsked(story: readonly Said[]): Record<string, unknown> {
  let state = agent.initial;
  let asked: Record<string, unknown> = {};
  for (const { message, body } of story) {
    const turn = agent.step(state, { message, body: body as never }, { address: 'r1.e1', now: 1 });
    state = turn.state;
    for (const one of turn.sent)
      if (nameOf(one).startsWith('move ') && one.kind === 'message') asked = Object(one.sealed.body);
  }
  return asked;
}

test('a mind that waits is asked when the last of its experiments has come back, and told of all', (t) => {
  const waits = [begin, made(0, 'await', 1, 2), tried(2)];
  t.is(tell(waits).phase, 'awaiting');
  t.like(lastAsked([...waits, tried(1)]), { move: 1, begun: 2, experiments: [failed(2), failed(1)], findings: null });
  // 2. what has come back in the meantime is not waited for
  t.like(lastAsked([begin, made(0, 'go on', 1), tried(1), made(1, 'await')]), { move: 2, experiments: [failed(1)] });
  // 3. what was told once is in the transcript, and not told again
  t.like(lastAsked([...waits, tried(1), made(1, 'go on')]), { move: 2, begun: 2, experiments: [] });
});

test('a mind that does not wait thinks on, and is told with its next move', (t) => {
  const thinks = [begin, made(0, 'go on', 1), made(1, 'go on'), tried(1)];
  t.deepEqual(tell(thinks), { phase: 'moving', sent: ['move 0', trial, 'move 1', 'move 2'] });
  t.like(lastAsked([...thinks, made(2, 'go on')]), { move: 3, experiments: [failed(1)] });
});

test('an experiment that nobody began is not heard of', (t) => {
  t.like(lastAsked([begin, tried(1), made(0, 'go on', 1), tried(7), made(1, 'go on')]), { move: 2, experiments: [] });
});

test('a mind that finishes, or has no workspace to be checked, finishes the episode', (t) => {
  t.deepEqual(tell([begin, made(0, 'finish')]), { phase: 'over', sent: ['move 0', episodeFinish.name] });
  const empty = say(moveMade, {
    ...baton,
    move: 0,
    transcript: hash('1'),
    workspace: null,
    experiments: [],
    next: 'submit',
  });
  t.deepEqual(tell([begin, empty]), { phase: 'over', sent: ['move 0', episodeFinish.name] });
});

test('so many moves are enough: the last one may still submit, and then the episode is finished', (t) => {
  const on = Array.from({ length: mostMoves }, (_, move) => made(move, 'go on'));
  t.deepEqual(tell([begin, ...on]).sent.slice(-2), [`move ${mostMoves - 1}`, episodeFinish.name]);
  const late = [...on.slice(0, -1), made(mostMoves - 1, 'submit')];
  t.deepEqual(tell([begin, ...late]).sent.slice(-2), [`move ${mostMoves - 1}`, check]);
  t.is(tell([begin, ...late, told(mostMoves - 1, true, [finding])]).sent.at(-1), episodeFinish.name);
});

test('an episode that has ended makes no move any more', (t) => {
  const until = (at: number) => tell([...whole.slice(0, at), ended]).sent;
  for (const at of whole.keys()) t.deepEqual(tell([...whole.slice(0, at), ended, ...whole.slice(at)]).sent, until(at));
});

test('a move that cannot be made is a failed episode, once', (t) => {
  const failed = say(moveFailed, { ...baton, failure: { code: 'edge/refused', detail: 'no' } });
  t.deepEqual(tell([begin, failed, failed, made(0, 'submit')]), {
    phase: 'over',
    sent: ['move 0', episodeFailed.name],
  });
});
