// How many pods there are to be: within the operator's bounds what jobs need, at once, and less only after a quiet time.
import test from 'ava';
import fc from 'fast-check';
import { type Lease, leaseEnded } from '#protocol/job';
import { exactly, podCreated, podGone, podReady, podsScale, poolTick } from '#protocol/pod';
import { placesOf } from '#protocol/roles';
import { route } from '#protocol/route';
import { version } from '#protocol/version';
import { scaleOf, scaleText, whyOf } from '../../services/cli/pods.ts';
import { say, submit, Told } from './support.ts';

const between = (floor: number, ceiling: number, idleSeconds = 60): Told => {
  const pool = new Told(route);
  pool.tell(say(podsScale, { floor, ceiling, idleSeconds }));
  return pool;
};
const count = (pool: Told, ...phases: string[]): number =>
  Object.values(pool.state.places).filter(({ phase }) => phases.includes(phase)).length;

/** Whatever was ordered is made at once, and whatever was given up goes at once. */
function provide(pool: Told): void {
  for (const [pod, { phase, generation }] of Object.entries(pool.state.places)) {
    const one = { pod, generation };
    if (phase === 'creating') pool.tell(say(podCreated, one));
    if (phase === 'creating') pool.tell(say(podReady, { ...one, version, runtimes: {}, seconds: 1 }));
    if (phase === 'terminating') pool.tell(say(podGone, one));
  }
}
function seconds(pool: Told, number: number): void {
  for (let second = 0; second < number; second += 1) {
    pool.now = Math.max(pool.now, pool.state.tickDue);
    pool.tell(say(poolTick, { tick: pool.state.tick }));
    provide(pool);
  }
}
function end(pool: Told, job: string): void {
  const body = pool.named('job-run').find((run) => run.body.job === job)?.body as unknown as Lease;
  const { pod, generation, token } = body;
  pool.tell(say(leaseEnded, { run: 'r1', job, pod, generation, token, seconds: 1 }));
}

test('a queue has pods made at once, as many as it needs and as may be', (t) => {
  const pool = between(0, 3);
  t.is(count(pool, 'creating'), 0);
  pool.tell(submit('a'));
  t.is(count(pool, 'creating'), 1);
  for (const job of ['b', 'c', 'd', 'e']) pool.tell(submit(job));
  t.is(count(pool, 'creating'), 3);
  provide(pool);
  t.is(count(pool, 'leased'), 3);
  t.is(pool.state.queue.length, 2);
});

test('a pod above the floor goes when it has been idle for its time, and not before; what is used stays', (t) => {
  const pool = between(1, 4, 60);
  for (const job of ['a', 'b', 'c']) pool.tell(submit(job));
  provide(pool);
  for (const job of ['a', 'b']) end(pool, job);
  seconds(pool, 58);
  t.is(count(pool, 'ready'), 2, 'no time has passed that is worth a pod');
  seconds(pool, 3);
  t.deepEqual([count(pool, 'ready'), count(pool, 'leased')], [0, 1]);
  end(pool, 'c');
  seconds(pool, 600);
  t.is(count(pool, 'ready'), 1, 'the floor stays');
  t.true(pool.state.tickDue > 0, 'and is watched');
});

test('a trickle of jobs keeps one pod, not all of them', (t) => {
  const pool = between(0, 4, 20);
  for (const job of ['a', 'b', 'c', 'd']) pool.tell(submit(job));
  provide(pool);
  for (const job of ['a', 'b', 'c', 'd']) end(pool, job);
  for (let n = 0; n < 10; n += 1) {
    pool.tell(submit(`t${n}`));
    seconds(pool, 2);
    end(pool, `t${n}`);
    seconds(pool, 2);
  }
  t.is(count(pool, 'ready'), 1);
  t.is(pool.named('pod-create').length, 4, 'and none was made again');
});

test('with nobody left and nobody wanted nothing goes on; a job wakes it', (t) => {
  const pool = between(0, 2, 5);
  pool.tell(submit('a'));
  provide(pool);
  end(pool, 'a');
  seconds(pool, 20);
  t.is(count(pool, 'absent'), 1);
  t.is(pool.state.tickDue, 0);
  pool.tell(submit('b'));
  t.true(pool.state.tickDue > 0);
  t.is(count(pool, 'creating'), 1);
});

test('a pool that was away does not end its pods for having had nothing to do', (t) => {
  const pool = between(0, 2, 60);
  pool.tell(submit('a'));
  provide(pool);
  end(pool, 'a');
  pool.now += 3_600_000;
  seconds(pool, 50);
  t.is(count(pool, 'ready'), 1);
  seconds(pool, 15);
  t.is(count(pool, 'absent'), 1);
});

test('people read how many are wanted, and why', (t) => {
  const pool = between(0, 2);
  const why = (): string => whyOf(pool.shown.at(-1) as unknown as Parameters<typeof whyOf>[0]);
  for (const job of ['a', 'b', 'c', 'd']) pool.tell(submit(job));
  t.is(why(), '2 wanted: 0 leased, 4 queued, at most 2');
  provide(pool);
  t.is(why(), '2 wanted: 2 leased, 2 queued, at most 2');
  for (const job of ['a', 'b', 'c']) end(pool, job);
  t.is(why(), '2 wanted: 1 leased, 0 queued, others stay until idle for 60 s');
  seconds(pool, 70);
  t.is(why(), '1 wanted: 1 leased, 0 queued, between 0 and 2');
  end(pool, 'd');
  seconds(pool, 70);
  t.is(why(), '0 wanted: 0 leased, 0 queued, at least 0');
  pool.tell(say(podsScale, exactly(1)));
  t.is(why(), '1 wanted: 0 leased, 0 queued, always 1');
});

test('what is given as a scale is read back as it was; what is none is answered with what is right', (t) => {
  const { length } = placesOf('pod');
  const bounds = fc.tuple(fc.nat(length), fc.nat(length)).map((both) => both.toSorted((a, b) => a - b));
  fc.assert(
    fc.property(bounds, ([floor = 0, ceiling = 0]) => {
      const scale = scaleOf(`${floor}..${ceiling}`, '5');
      t.deepEqual(scale, { floor, ceiling, idleSeconds: 5 });
      t.deepEqual(scaleOf(scaleText(scale), '5'), scale);
    }),
  );
  t.deepEqual(scaleOf('4'), exactly(4));
  for (const [text, message] of [
    ['17', '"17" pods: there are places for 16, so that is the most you can ask for'],
    ['1..99', '"1..99" pods: there are places for 16, so that is the most you can ask for'],
    ['5..2', '"5..2" pods: the least comes first: 2..5'],
    ...['-1', '1.5', 'two', '', '1..', '..3', '1...3', '1-3', ' 1'].map((odd) => [
      odd,
      `"${odd}" pods: give a number (4), or a least and a most (1..4), from 0 to 16`,
    ]),
  ] as const)
    t.throws(() => scaleOf(text ?? ''), { message: message ?? '' });
  t.throws(() => scaleOf('1..4', 'soon'), { message: '--idle soon: a whole number of seconds is needed, such as 600' });
});
