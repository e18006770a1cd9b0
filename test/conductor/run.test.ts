// A run as the conductor leads it, against an evaluator and a learner that answer in any order, and twice.
import test from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import type { Sent } from '#kit/actor';
import { pack } from '#kit/wire';
import { type Episode, episodeOf } from '#protocol/episode';
import type { Message } from '#protocol/message';
import { mindTold } from '#protocol/mind';
import { policyPublished } from '#protocol/policy';
import { probeStart } from '#protocol/probe';
import {
  catalogueTold,
  type RunConfig,
  runConfig,
  runFailed,
  runRecord,
  runStart,
  runStop,
  type Spec,
} from '#protocol/run';
import { maxBodyBytes, maxStateBytes } from '#protocol/streams';
import { type EpisodeEnded, episodeEnded } from '#protocol/verdict';
import { conductor } from '../../services/conductor/actor.ts';
import { specOf as specOfRun } from '../../services/conductor/curriculum.ts';
import { begun, recordOfRun } from '../../services/conductor/progress.ts';
import { runState } from '../../services/conductor/state.ts';

const limits = { steps: 60, seconds: 30, baseModels: ['micro-m'], experiments: 4 };
const specOf = (family: string, use: Spec['use'], n: number): Spec => ({
  id: `${family}-${n}`,
  family,
  use,
  text: `train a model to ${family}`,
  limits,
});
const specs: Spec[] = [
  ...['reverse', 'uppercase', 'sort'].flatMap((family) => [0, 1].map((n) => specOf(family, 'training', n))),
  ...['behead', 'rotate'].flatMap((family) => [0, 1, 2].map((n) => specOf(family, 'held-out', n))),
  specOf('secret', 'impossible', 0),
];
const specOfGroup = (seed: number, index: number) =>
  specOfRun({ specs, config: runConfig.parse({ seed }) }, index)?.family;
const blobOf = (version: number): string => version.toString(16).padStart(64, '0');

interface Said {
  readonly message: Message;
  readonly body: unknown;
}
interface Told {
  readonly episode: string;
  readonly policy: number;
  readonly step: number | null;
}

/** Plays a run to its end; `pick` chooses which of the waiting messages comes next, and what comes twice. */
class Play {
  state = conductor.initial;
  readonly begun: Told[] = [];
  readonly waiting: Said[] = [];
  most = 0;
  #now = 1_000_000;
  #version = 0;
  #running = new Map<string, Episode>();
  #learned = new Map<number, number>();
  readonly config: RunConfig;

  constructor(config: Partial<RunConfig>) {
    this.config = runConfig.parse(config);
    this.say(runStart, { run: 'r1', config: this.config });
    this.waiting.push({ message: catalogueTold as Message, body: { run: 'r1', specs } });
    this.waiting.push({ message: mindTold as Message, body: { run: 'r1', learnable: 'choices', why: '' } });
    this.publish();
  }

  say<B>(message: Message<B>, body: B): void {
    this.#now += 10;
    const { state, sent } = conductor.step(this.state, { message, body }, { address: 'r1.main', now: this.#now });
    this.state = state;
    for (const one of sent) this.#hear(one);
    this.most = Math.max(this.most, this.#running.size);
  }

  publish(): void {
    const body = { run: 'r1', version: this.#version, blob: blobOf(this.#version), stalenessMax: 0 };
    this.waiting.push({ message: policyPublished as Message, body });
  }

  #hear(sent: Sent): void {
    if (sent.kind !== 'message' || !sent.sealed.subject.endsWith('.episode-start')) return;
    const episode = episodeOf(sent.sealed.body as Episode);
    const group = Number(episode.group.slice(1));
    const step = episode.purpose === 'training' ? Math.floor(group / this.config.groupsPerStep) : null;
    this.begun.push({ episode: episode.episode, policy: episode.policy, step });
    this.#running.set(episode.episode, episode);
  }

  /** One of those under way ends; the learner takes a step when all of that step have. */
  end(at: number, outcome: EpisodeEnded['outcome']): void {
    const episode = [...this.#running.values()][at % this.#running.size];
    if (!episode) return;
    this.#running.delete(episode.episode);
    this.waiting.push({ message: episodeEnded as Message, body: endingOf(episode, outcome) });
    if (episode.purpose === 'evaluation') return;
    const step = Math.floor(Number(episode.group.slice(1)) / this.config.groupsPerStep);
    this.#learned.set(step, (this.#learned.get(step) ?? 0) + 1);
    while (this.#learned.get(this.#version) === this.config.groupsPerStep * this.config.groupSize) {
      this.#version += 1;
      this.publish();
    }
  }

  /** One of those that wait is heard of, perhaps twice. */
  tell(number: number): void {
    const [said] = this.waiting.splice(number % this.waiting.length, 1);
    if (!said) return;
    this.say(said.message, said.body);
    if (number % 5 === 0) this.say(said.message, said.body);
  }

  get underWay(): number {
    return this.#running.size;
  }
}

const endingOf = (episode: Episode, outcome: EpisodeEnded['outcome']): EpisodeEnded => ({
  ...episode,
  family: 'any',
  outcome,
  reward: outcome === 'failed' ? null : outcome === 'scored' ? 0.5 : 0,
  parts: null,
  failure: outcome === 'failed' ? { code: 'pod/lost', detail: 'it went' } : null,
  transcript: null,
  jobs: outcome === 'scored' ? 1 : 0,
  podSeconds: 1,
});

const outcomes = ['scored', 'scored', 'invalid', 'failed'] as const;

/** Whatever waits is told in the order that the numbers say, and every fifth of it twice. */
function played(play: Play, numbers: readonly number[]): Play {
  for (let n = 0; play.waiting.length > 0 || play.underWay > 0; n += 1) {
    if (n > 20_000) throw new Error('the run does not come to its end');
    const number = numbers[n % numbers.length] ?? 0;
    const tells = play.waiting.length > 0 && (play.underWay === 0 || number % 2 === 0);
    if (tells) play.tell(number);
    else play.end(number, outcomes[number % 4] ?? 'scored');
  }
  return play;
}

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
