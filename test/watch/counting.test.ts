// What is counted and shown is bounded and true, whatever is fed to it.
import test from 'ava';
import type { Actor, Sent } from '#kit/actor';
import { exposition } from '#kit/metrics';
import type { Records } from '#kit/records';
import { said } from '#kit/saved';
import { Shown } from '#kit/shown';
import type { Message } from '#protocol/message';
import { policyOpened, policyUpdate, policyUpdated } from '#protocol/policy';
import { runConfig } from '#protocol/run';
import { type EpisodeEnded, episodeEnded, type Verdict, verdict } from '#protocol/verdict';
import { conductor } from '../../services/conductor/actor.ts';
import { begun } from '../../services/conductor/progress.ts';
import { countTurn } from '../../services/evaluator/counting.ts';
import { families } from '../../services/evaluator/families.ts';
import { learner } from '../../services/learner/actor.ts';
import { Dice, verdictOf } from '../cli/support/made-episode.ts';

const linesNow = async (): Promise<string[]> =>
  (await exposition()).text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const numberOf = async (series: string): Promise<number> =>
  Number((await linesNow()).find((line) => line.startsWith(`${series} `))?.slice(series.length));

/** One instance of an actor, whose turns are counted as the kit does it. */
class Instance<S> {
  readonly #actor: Actor<S>;
  #state: S;

  constructor(actor: Actor<S>) {
    this.#actor = actor;
    this.#state = actor.initial;
  }

  say<B>(message: Message<B>, body: B, now = 0): Sent[] {
    const at = { address: 'r1.main', now };
    const before = this.#state;
    const { state, sent } = this.#actor.step(before, { message, body }, at);
    this.#actor.counting?.({ ...at, message: message as Message, body, before, state, sent });
    this.#state = state;
    return sent;
  }
}

const stats = { samples: 4, stalenessMax: 0, ratio: 1, clipped: 0, entropy: 1, gradientNorm: 1, loss: 0, kl: 0 };
const config = runConfig.parse({ steps: 5_000, groupsPerStep: 4, groupSize: 4 });

/** An end of the n-th episode of training. */
const endedAs = (made: Verdict, n: number): EpisodeEnded => {
  const group = `g${Math.floor(n / 4)}`;
  const { run, spec, policy, formula, begunAt, family, outcome, reward, parts, failure, jobs, podSeconds } = made;
  return {
    ...{ run, spec, policy, formula, begunAt, family, outcome, reward, parts, failure, jobs, podSeconds },
    ...{ group, episode: `${group}-${n % 4}`, purpose: 'training', transcript: 'f'.repeat(64) },
  };
};

/** Learns from these; answers with how many updates that were. */
function learnFrom(one: Instance<never>, made: readonly Verdict[], from: number): number {
  let updates = 0;
  for (const [at, ended] of made.entries()) {
    const body = endedAs(ended, from + at);
    const wanted = said({ sent: one.say(episodeEnded, body, 61_000) }, policyUpdate);
    one.say(episodeEnded, body, 62_000); // again, under another id
    for (const { version, blob } of wanted) {
      updates += 1;
      one.say(policyUpdated, { run: 'r1', version: version + 1, blob, ...stats });
    }
  }
  return updates;
}

test.serial('the second 5,000 of 10,000 episodes make no new series, and each is counted once', async (t) => {
  const dice = new Dice(1);
  const verdicts = Array.from({ length: 10_000 }, (_, at) => {
    const { name: family, use } = dice.one(families);
    const how = { group: 'g0', policy: 0, purpose: 'training', skill: dice.roll(), endedAt: 0 } as const;
    return verdictOf(dice, { ...how, family, use, at });
  });
  const one = new Instance(learner) as unknown as Instance<never>;
  one.say(policyOpened, { run: 'r1', version: 0, blob: '0'.repeat(64), config });
  const feed = (some: readonly Verdict[], from: number): number => {
    for (const body of some) countTurn({ sent: [{ kind: 'value', value: verdict, body }] });
    return learnFrom(one, some, from);
  };
  const first = feed(verdicts.slice(0, 5_000), 0);
  const series = (await linesNow()).length;
  const rest = feed(verdicts.slice(5_000), 5_000);
  t.is((await linesNow()).length, series);
  // and each was counted once, though each was told twice
  t.is(await numberOf('uplift_learner_episode_seconds_count{stage="ended"}'), verdicts.length);
  t.is(await numberOf('uplift_learner_updates_total'), first + rest);
  t.is(await numberOf('uplift_learner_episode_seconds_sum{stage="ended"}'), verdicts.length * 60);
  const outcomes = (await linesNow()).filter((line) => line.startsWith('uplift_evaluator_episodes_total{'));
  t.is(
    outcomes.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0),
    verdicts.length,
  );
});

test.serial(
  'of a thousand runs the last sixteen are shown, as they are stored, and none half an hour after its end',
  async (t) => {
    const now = Date.now();
    const stateOf = (steps: number, endedAt: number | null = null) => ({
      ...{ probe: 'new' as const, run: { ...begun(runConfig.parse({ steps }), now), endedAt } },
    });
    type State = ReturnType<typeof stateOf>;
    const stored = new Map<string, State>();
    // the store as it is read at a scrape; nothing else of it is used
    const records = {
      stored: async (address: string) => ({ state: stored.get(address) }),
    } as unknown as Records<never>;
    const shown = new Shown(conductor as unknown as Actor<never>, records);
    const turn = (address: string, state: State): void => {
      stored.set(address, state);
      shown.told({
        address,
        state: state as never,
        before: state as never,
        now,
        message: episodeEnded as never,
        body: {},
        sent: [],
      });
    };
    const runsShown = async (): Promise<string[]> =>
      (await linesNow()).filter((line) => line.startsWith('uplift_run_steps_wanted{'));

    for (let n = 0; n < 1_000; n += 1) turn(`r${n}.main`, stateOf(n + 1));
    t.deepEqual(
      await runsShown(),
      Array.from({ length: 16 }, (_, n) => `uplift_run_steps_wanted{run="r${984 + n}"} ${985 + n}`),
    );
    // 1. another process has taken the next turn
    stored.set('r999.main', stateOf(7));
    t.true((await runsShown()).includes('uplift_run_steps_wanted{run="r999"} 7'));
    // 2. it is over, now and then for long
    stored.set('r999.main', stateOf(7, now - 60_000));
    t.is((await runsShown()).length, 16);
    stored.set('r999.main', stateOf(7, now - 31 * 60_000));
    t.is((await runsShown()).length, 15);
    // 3. a probe takes no run's place
    turn('probe.p1', { ...stateOf(1), run: null as never });
    t.is((await runsShown()).length, 15);
    // 4. a process that does not serve any more shows none
    shown.end();
    t.deepEqual(await runsShown(), []);
  },
);

test.serial('a store that does not answer holds no scrape up, and is asked once until it does', async (t) => {
  let asked = 0;
  let answer = (_: object): void => undefined;
  const stored = (): Promise<object> => {
    asked += 1;
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  const shown = new Shown(conductor as unknown as Actor<never>, { stored } as unknown as Records<never>);
  const state = { probe: 'new', run: begun(runConfig.parse({ steps: 3 }), Date.now()) } as never;
  shown.told({ address: 'r1.main', state, before: state, now: 0, message: episodeEnded as never, body: {}, sent: [] });
  const series = 'uplift_run_steps_wanted{run="r1"}';
  await Promise.all([linesNow(), linesNow()]);
  t.is(asked, 1);
  answer({ state });
  await new Promise(setImmediate);
  const next = numberOf(series);
  t.is(asked, 2);
  answer({ state });
  t.is(await next, 3);
  shown.end();
});

test.serial('whoever counts wrongly costs a count and no turn', (t) => {
  const counting = (): never => {
    throw new Error('a mistake in the counting');
  };
  const broken = { name: 'agent', counting } as unknown as Actor<never>;
  const shown = new Shown(broken, {} as never);
  t.notThrows(() =>
    shown.told({
      address: 'r1.e1',
      now: 0,
      message: episodeEnded as never,
      body: {},
      before: {} as never,
      state: {} as never,
      sent: [],
    }),
  );
  shown.end();
});
