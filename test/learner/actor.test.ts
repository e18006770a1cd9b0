import test from 'ava';
import fc from 'fast-check';
import type { Sent } from '#kit/actor';
import type { BodyOf, Message } from '#protocol/message';
import { policyFailed, policyOpened, policyPublished, policyUpdate, policyUpdated } from '#protocol/policy';
import { runConfig, runFailed } from '#protocol/run';
import { type EpisodeEnded, episodeEnded } from '#protocol/verdict';
import { learner } from '../../services/learner/actor.ts';

const config = runConfig.parse({ steps: 3, groupsPerStep: 2, groupSize: 2 });
const blob = (version: number): string => String(version).repeat(64);
const stats = { samples: 4, stalenessMax: 0, ratio: 1, clipped: 0, entropy: 1, gradientNorm: 1, loss: 0, kl: 0 };

const ended = (group: number, which: number, more: Partial<EpisodeEnded> = {}): EpisodeEnded => ({
  ...{ run: 'r1', episode: `g${group}-${which}`, group: `g${group}`, purpose: 'training', spec: 's1', policy: 0 },
  ...{
    formula: 'reference',
    begunAt: 1_000,
    family: 'reverse',
    outcome: 'scored',
    reward: which,
    parts: null,
    failure: null,
  },
  ...{ transcript: 'f'.repeat(64), jobs: 1, podSeconds: 1 },
  ...more,
});
const opened = { run: 'r1', version: 0, blob: blob(0), config };
const updated = (version: number) => ({ run: 'r1', version, blob: blob(version), ...stats });

type Said = { [B in string]: { message: Message<never>; body: unknown } }[string];
const say = <B>(message: Message<B>, body: B): Said => ({ message: message as Message<never>, body });
const isOf = (message: Pick<Message, 'name'>, sent: Sent): boolean =>
  sent.kind === 'message' && sent.sealed.subject.endsWith(`.${message.name}`);

/** Everything that was sent, and the state at the end. */
function tell(story: readonly Said[]) {
  let state = learner.initial;
  const sent: Sent[] = [];
  for (const { message, body } of story) {
    const turn = learner.step(state, { message, body: body as never }, { address: 'r1.main', now: 1 });
    state = turn.state;
    sent.push(...turn.sent);
  }
  const updates = sent.flatMap((one) =>
    one.kind === 'message' && isOf(policyUpdate, one) ? [one.sealed.body as BodyOf<typeof policyUpdate>] : [],
  );
  return { state, sent, updates };
}
const groups = (...indices: number[]): Said[] =>
  indices.flatMap((index) => [0, 1].map((which) => say(episodeEnded, ended(index, which))));

test('the first policy is published, and is the value of the run', (t) => {
  const { sent, state } = tell([say(policyOpened, opened)]);
  t.true(sent.some((one) => isOf(policyPublished, one)));
  t.like(
    sent.find((one) => one.kind === 'value'),
    { body: { version: 0, blob: blob(0) } },
  );
  t.deepEqual(state.policy, { version: 0, blob: blob(0) });
});

test('a step is made of the groups of its index, whichever were complete first', (t) => {
  const { updates } = tell([say(policyOpened, opened), ...groups(2, 3, 1), say(episodeEnded, ended(0, 1))]);
  t.deepEqual(updates, []);
  const { updates: after } = tell([say(policyOpened, opened), ...groups(2, 3, 1, 0)]);
  t.deepEqual(
    after.map(({ version, groups: position }) => [version, position]),
    [[0, 2]],
  );
  t.deepEqual(
    after[0]?.samples.map(({ episode, advantage }) => [episode, advantage]),
    [
      ['g0-0', -0.5],
      ['g0-1', 0.5],
      ['g1-0', -0.5],
      ['g1-1', 0.5],
    ],
  );
});

test('one update at a time, and the next one begins when the last is there', (t) => {
  const story = [say(policyOpened, opened), ...groups(0, 1, 2, 3, 4, 5)];
  t.is(tell(story).updates.length, 1);
  const all = tell([
    ...story,
    say(policyUpdated, updated(1)),
    say(policyUpdated, updated(2)),
    say(policyUpdated, updated(3)),
  ]);
  t.deepEqual(
    all.updates.map(({ version, blob: from }) => [version, from]),
    [0, 1, 2].map((v) => [v, blob(v)]),
  );
  t.deepEqual(all.state.ended, []);
  t.is(all.state.policy?.version, 3);
});

test('a failed episode completes its group and is no sample; one of an evaluation is neither', (t) => {
  const { updates } = tell([
    say(policyOpened, opened),
    ...groups(0),
    say(episodeEnded, ended(1, 0)),
    say(episodeEnded, ended(1, 5, { purpose: 'evaluation' })),
    say(episodeEnded, ended(1, 1, { outcome: 'failed', reward: null, transcript: null })),
  ]);
  t.deepEqual(
    updates[0]?.samples.map(({ episode }) => episode),
    ['g0-0', 'g0-1', 'g1-0'],
  );
});

test('told in any order, with anything told twice, the same updates are made of the same samples', (t) => {
  const story = [say(policyOpened, opened), ...groups(0, 1, 2, 3, 4, 5)];
  const usual = [...story, ...[1, 2, 3].map((version) => say(policyUpdated, updated(version)))];
  const expected = tell(usual);
  fc.assert(
    fc.property(fc.shuffledSubarray(story, { minLength: story.length }), fc.array(fc.nat()), (shuffled, twice) => {
      const told = [...shuffled];
      for (const at of twice)
        told.splice(at % told.length, 0, ...told.slice((at * 7) % told.length, ((at * 7) % told.length) + 1));
      const answers = [1, 1, 2, 1, 3, 2, 3].map((version) => say(policyUpdated, updated(version)));
      const { state, updates } = tell([...told, ...answers]);
      t.deepEqual(updates, expected.updates);
      t.deepEqual(state, expected.state);
      return true;
    }),
    { numRuns: 200 },
  );
});

test('nothing is kept of groups that were learned from, nor of those after the last step', (t) => {
  const story = [say(policyOpened, opened), ...groups(0, 1), say(policyUpdated, updated(1))];
  const { state, updates } = tell([...story, ...groups(0, 1, 6, 99)]);
  t.deepEqual(state.ended, []);
  t.is(updates.length, 1);
});

test('a policy that cannot be made ends the run', (t) => {
  const failure = { code: 'edge/refused', detail: 'no' } as const;
  const { sent } = tell([say(policyOpened, opened), say(policyFailed, { run: 'r1', failure })]);
  t.true(sent.some((one) => isOf(runFailed, one)));
});
