import test from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { pack } from '#kit/wire';
import type { Message } from '#protocol/message';
import { mindTold } from '#protocol/mind';
import { probeStart } from '#protocol/probe';
import { runConfig, runFailed, runRecord, runStop } from '#protocol/run';
import { maxBodyBytes, maxStateBytes } from '#protocol/streams';
import { conductor } from '../../services/conductor/actor.ts';
import { begun, recordOfRun } from '../../services/conductor/progress.ts';
import { runState } from '../../services/conductor/state.ts';

import { blobOf, Play, played, specOfGroup } from './play.ts';

const order = fc.array(fc.nat(1_000), { minLength: 20, maxLength: 60 });
const sizes = fc.record({
  steps: fc.integer({ min: 1, max: 6 }),
  groupsPerStep: fc.integer({ min: 1, max: 4 }),
  groupSize: fc.integer({ min: 2, max: 4 }),
  maxStepsOffPolicy: fc.integer({ min: 0, max: 3 }),
  episodesAtOnce: fc.integer({ min: 1, max: 30 }),
  heldOutEpisodes: fc.integer({ min: 0, max: 5 }),
  heldOutEvery: fc.integer({ min: 0, max: 3 }),
  seed: fc.nat(99),
});

test('in whatever order its messages come, a run ends with every step taken and every episode counted once', (t) => {
  fc.assert(
    fc.property(sizes, order, (config, numbers) => {
      const play = played(new Play(config), numbers);
      const { run } = play.state;
      t.is(run?.phase, 'ended');
      t.is(run?.over, 'done');
      t.is(run?.steps.length, config.steps);
      const each = config.groupsPerStep * config.groupSize;
      for (const step of run?.steps ?? []) t.is(step.episodes + step.failed, each);
      const { scored, invalid, failed } = run?.outcomes ?? { scored: 0, invalid: 0, failed: 0 };
      t.is(scored + invalid + failed, play.begun.length);
      t.is(new Set(play.begun.map(({ episode }) => episode)).size, play.begun.length);
      for (const { tally, wanted } of run?.evaluations ?? []) t.is(tally.episodes + tally.failed, wanted);
    }),
    { numRuns: 60 },
  );
});

test('no episode is learned from by a policy more steps ahead of its own than the run allows', (t) => {
  fc.assert(
    fc.property(sizes, order, (config, numbers) => {
      for (const { step, policy } of played(new Play(config), numbers).begun)
        if (step !== null) t.true(step - policy <= config.maxStepsOffPolicy, `step ${step} with policy ${policy}`);
    }),
    { numRuns: 30 },
  );
});

test('no more episodes are under way than may be, if a group fits at all', (t) => {
  const play = played(new Play({ steps: 3, episodesAtOnce: 8, groupSize: 4, heldOutEpisodes: 4 }), [2, 7, 4, 1, 9, 6]);
  t.true(play.most <= 8, `${play.most} at once`);
});

test('families are tried equally often, and another seed has another order', (t) => {
  const drawn = (seed: number) => Array.from({ length: 30 }, (_, n) => specOfGroup(seed, n));
  const times = (family: string) => drawn(1).filter((one) => one === family).length;
  t.deepEqual(['reverse', 'uppercase', 'sort'].map(times), [10, 10, 10]);
  t.notDeepEqual(drawn(1), drawn(2));
  t.deepEqual(drawn(1), drawn(1));
});

test('a run that is stopped by hand begins nothing more, and ends with what was under way', (t) => {
  const play = new Play({ steps: 5, heldOutEpisodes: 2 });
  for (const said of play.waiting.splice(0)) play.say(said.message, said.body);
  const begun = play.begun.length;
  t.true(begun > 0);
  play.say(runStop, { run: 'r1' });
  played(play, [2, 3, 5]);
  t.is(play.begun.length, begun);
  t.is(play.state.run?.over, 'stopped');
  t.is(play.state.run?.phase, 'ended');
});

test('a run ends when it has cost what it may', (t) => {
  const play = played(new Play({ steps: 50, podUsdPerHour: 3600, budgetUsd: 40, heldOutEpisodes: 0 }), [2, 3, 5]);
  t.is(play.state.run?.over, 'budget');
  t.is(play.state.run?.phase, 'ended');
  t.true((play.state.run?.steps.length ?? 0) < 50);
});

test('a run that cannot be prepared ends with the reason', (t) => {
  const play = new Play({});
  const failure = { code: 'edge/threw' as const, detail: 'no base model' };
  play.say(runFailed, { run: 'r1', failure });
  t.is(play.state.run?.over, 'failed');
  t.is(play.state.run?.phase, 'ended');
  t.deepEqual(play.state.run?.failure, failure);
});

test('a trainer that cannot learn from the mind is refused with the reason, before an episode begins', (t) => {
  const play = new Play({ trainer: 'catalogue' });
  play.waiting.splice(1, 1);
  play.say(mindTold, { run: 'r1', learnable: 'nothing', why: 'http://127.0.0.1:1/v1 gives no token ids' });
  while (play.waiting.length > 0) play.tell(1);
  t.is(play.state.run?.over, 'failed');
  t.is(play.state.run?.failure?.code, 'run/untrainable');
  t.regex(play.state.run?.failure?.detail ?? '', /learns from choices.*gives no token ids.*trainer = "none"/);
  t.deepEqual(play.begun, []);
});

test('a trainer that learns nothing goes with any mind', (t) => {
  const play = new Play({ trainer: 'none', steps: 1, heldOutEpisodes: 0 });
  play.waiting.splice(1, 1, { message: mindTold as Message, body: { run: 'r1', learnable: 'nothing', why: 'so' } });
  t.is(played(play, [2, 7, 4, 1]).state.run?.over, 'done');
});

test('a trial is one episode of its family, and nothing else', (t) => {
  for (const trial of ['reverse', 'rotate', 'secret']) {
    const play = played(new Play({ trial, steps: 0 }), [2, 7, 4, 1]);
    t.is(play.state.run?.over, 'done');
    t.deepEqual(
      play.begun.map(({ step }) => step),
      [null],
    );
    t.deepEqual(
      play.state.run?.evaluations.map(({ wanted, tally }) => [wanted, tally.episodes + tally.failed]),
      [[1, 1]],
    );
  }
});

test('a trial of a family that is not there is refused with the names of those that are', (t) => {
  const { run } = played(new Play({ trial: 'revers', steps: 0 }), [2, 7, 4, 1]).state;
  t.is(run?.failure?.code, 'run/unknown-family');
  t.regex(run?.failure?.detail ?? '', /"revers".*reverse, uppercase, sort, behead, rotate, secret/);
});

test('the longest run that may be wanted fits into its record, and dates and costs stay numbers', (t) => {
  const most = (knob: 'steps' | 'episodeSeconds' | 'podUsdPerHour'): number =>
    Number(z.toJSONSchema(runConfig.shape[knob]).maximum);
  const [steps, episodeSeconds, podUsdPerHour] = [most('steps'), most('episodeSeconds'), most('podUsdPerHour')];
  const config = runConfig.parse({ steps, heldOutEvery: 1, episodeSeconds, podUsdPerHour });
  const tally = {
    reward: 0.1,
    validity: 0.1,
    quality: 0.1,
    uplift: 0.1,
    speed: 0.1,
    episodes: 999,
    failed: 9,
    jobs: 99,
  };
  const policy = { version: steps, blob: blobOf(steps) };
  const run = {
    ...begun(config, 1e12),
    podSeconds: 1e12,
    steps: Array.from({ length: steps }, (_, step) => ({
      ...{ ...tally, step, policyVersion: step + 1, stalenessMax: 2, seconds: 0.1 },
    })),
    evaluations: Array.from({ length: steps }, () => ({ policy, waiting: [], wanted: 999, tally })),
  };
  const record = runRecord.body.parse(recordOfRun(run));
  t.true(pack(runState.parse(run)).length < maxStateBytes);
  t.true(pack(record).length < maxBodyBytes);
});

test('a timer that is due after all dates is due at the last one: its record can be read again', (t) => {
  const said = { message: probeStart as Message, body: { probe: 'p1', seconds: 1e308 } };
  const [timer] = conductor.step(conductor.initial, said, { address: 'probe.p1', now: 1e12 }).sent;
  t.true(timer?.kind === 'message' && timer.due !== null && timer.due <= 8.64e15);
});
