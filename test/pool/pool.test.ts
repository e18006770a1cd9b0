// What the pool decides, message by message.
import test from 'ava';
import { jobCancel, jobProgress, type Lease, leaseEnded } from '#protocol/job';
import {
  exactly,
  podCreated,
  podDrain,
  podGone,
  podLost,
  podReady,
  podsListed,
  podsScale,
  poolTick,
} from '#protocol/pod';
import { probePool } from '#protocol/probe';
import { route } from '#protocol/route';
import { version } from '#protocol/version';
import { jobNamed, say, submit, Told } from './support.ts';

const proof = { version, runtimes: { micro: 'x' }, seconds: 1 };
const at = (pod: string, generation = 1) => ({ pod, generation });
const told = (...count: number[]): Told => {
  const pool = new Told(route);
  for (const one of count) pool.tell(say(podsScale, exactly(one)));
  return pool;
};
function makeReady(pool: Told, ...pods: { pod: string; generation: number }[]): void {
  for (const one of pods) {
    pool.tell(say(podCreated, one));
    pool.tell(say(podReady, { ...one, ...proof }));
    pool.now += 10;
  }
}
const phases = (pool: Told): string[] => Object.values(pool.state.places).map(({ phase }) => phase);
const ended = (lease: Lease, job: string, seconds = 1) => say(leaseEnded, { ...lease, run: 'r1', job, seconds });
const failure = { code: 'pod/unfit', detail: 'it cannot' } as const;
/** The tick that is to come, when it is due. */
function tick(pool: Told, late = 0): void {
  pool.now = Math.max(pool.now, pool.state.tickDue) + late;
  pool.tell(say(poolTick, { tick: pool.state.tick }));
}
const leaseOf = ({ body }: { body: Record<string, unknown> } = { body: {} }): Lease => {
  const { pod, generation, token } = body as unknown as Lease;
  return { pod, generation, token };
};

test('so many pods are ordered as are wanted, and no more than there are places', (t) => {
  t.is(told(3).named('pod-create').length, 3);
  t.is(told(40).named('pod-create').length, 16);
  t.is(told(2, 2, 2).named('pod-create').length, 2);
});

test('a pod that was made proves itself before it gets a job; the oldest job goes first, to who became ready last', (t) => {
  const pool = told(2);
  for (const job of ['a', 'b', 'c']) pool.tell(submit(job));
  pool.tell(say(podCreated, at('p1')));
  t.is(pool.named('job-run').length, 0);
  t.is(pool.named('pod-warm').length, 1);
  makeReady(pool, at('p2'), at('p1'));
  const runs = (): unknown[] => pool.named('job-run').map(({ body }) => [body.job, body.pod, body.token]);
  t.deepEqual(runs(), [
    ['a', 'p2', 1],
    ['b', 'p1', 1],
  ]);
  pool.tell(ended({ ...at('p1'), token: 1 }, 'b'));
  t.deepEqual(runs().at(-1), ['c', 'p1', 2]);
  pool.tell(ended({ ...at('p1'), token: 2 }, 'c'));
  pool.now += 10;
  pool.tell(ended({ ...at('p2'), token: 1 }, 'a'));
  pool.tell(submit('d'));
  t.deepEqual(runs().at(-1), ['d', 'p2', 2]);
});

test('a lease that has ended, or was followed by another, changes nothing', (t) => {
  const pool = told(1);
  makeReady(pool, at('p1'));
  pool.tell(submit('a'));
  pool.tell(ended({ ...at('p1'), token: 1 }, 'a'));
  pool.tell(submit('b'));
  const before = pool.state;
  for (const stale of [
    { ...at('p1'), token: 1 },
    { ...at('p1', 2), token: 2 },
  ])
    pool.tell(ended(stale, 'a'));
  pool.tell(ended({ ...at('p1'), token: 2 }, 'a'));
  pool.tell(submit('a'));
  t.deepEqual(pool.state, before);
});

test('a lost pod is deleted and replaced; its job is run again in front, and fails with the third', (t) => {
  const pool = told(1);
  makeReady(pool, at('p1'));
  for (const job of ['a', 'b']) pool.tell(submit(job));
  for (const generation of [1, 2, 3]) {
    t.like(pool.named('job-run').at(-1)?.body, { job: 'a', generation, token: generation });
    for (const _ of [1, 2]) pool.tell(say(podLost, { ...at('p1', generation), failure }));
    t.is(pool.named('pod-delete').length, generation);
    pool.tell(say(podGone, at('p1', generation)));
    makeReady(pool, at('p1', generation + 1));
  }
  t.like(pool.named('job-failed')[0]?.body, { job: 'a', failure: { code: 'pod/lost' } });
  t.is(pool.named('job-failed').length, 1);
  t.like(pool.named('job-run').at(-1)?.body, { job: 'b', generation: 4, token: 4 });
});

test('too many pods end idle first; one that has a job ends with it', (t) => {
  const pool = told(3);
  makeReady(pool, at('p1'), at('p2'));
  pool.tell(submit('a'));
  pool.tell(say(podsScale, exactly(1)));
  t.deepEqual(phases(pool), ['terminating', 'leased', 'terminating']);
  pool.tell(say(podsScale, exactly(0)));
  t.deepEqual(phases(pool), ['terminating', 'draining', 'terminating']);
  pool.tell(ended(leaseOf(pool.named('job-run')[0]), 'a'));
  for (const pod of ['p1', 'p2', 'p3']) pool.tell(say(podGone, at(pod)));
  t.deepEqual(phases(pool), ['absent', 'absent', 'absent']);
  const { tick: last } = pool.state;
  tick(pool);
  t.is(pool.state.tickDue, 0, 'nobody is watched when nobody is there');
  pool.tell(say(podsScale, exactly(1)));
  t.is(pool.state.tick, last + 1);
});

test('a pod that is drained is replaced, when it is gone and not before', (t) => {
  const pool = told(1);
  makeReady(pool, at('p1'));
  pool.tell(say(podDrain, { pod: 'p1' }));
  t.is(pool.named('pod-create').length, 1);
  pool.tell(say(podGone, at('p1')));
  t.like(pool.named('pod-create').at(-1)?.body, at('p1', 2));
});

test('a job that is cancelled leaves the queue, and is not run again when its pod is lost', (t) => {
  const pool = told(1);
  makeReady(pool, at('p1'));
  for (const job of ['a', 'b']) pool.tell(submit(job));
  for (const job of ['a', 'b']) pool.tell(say(jobCancel, { run: 'r1', job }));
  pool.tell(say(podLost, { ...at('p1'), failure }));
  for (const job of ['a', 'b']) pool.tell(submit(job));
  t.deepEqual(pool.state.queue, []);
  t.is(pool.named('job-failed').length, 0);
});

test('a complete list shows who is lost and who should not be there; one that is not waited for shows nothing', (t) => {
  const pool = told(2);
  makeReady(pool, at('p1'));
  pool.tell(submit('a'));
  tick(pool);
  const listed = {
    tick: pool.state.asking.tick,
    listed: [
      { ...at('p1'), running: false },
      { ...at('p7', 3), running: true },
    ],
  };
  pool.tell(say(podsListed, { ...listed, tick: 99 }));
  t.is(pool.named('pod-delete').length, 0);
  pool.tell(say(podsListed, listed));
  t.deepEqual(
    pool.named('pod-delete').map(({ body }) => body),
    [at('p7', 3), at('p1')],
  );
  t.is(pool.state.places.p2?.phase, 'creating', 'whoever is being made need not be in the list');
  t.is(pool.state.queue.length, 1);
});

test('ticks: one is to come, whatever is said twice; one that was lost is replaced', (t) => {
  const pool = told(2, 1, 2);
  t.is(pool.named('pool-tick').length, 1);
  const { tick: first } = pool.state;
  tick(pool);
  pool.tell(say(poolTick, { tick: first }));
  t.is(pool.named('pool-tick').length, 2);
  pool.now = pool.state.tickDue + 60_000;
  pool.tell(submit('a'));
  t.is(pool.named('pool-tick').length, 3);
  pool.tell(say(poolTick, { tick: first + 1 }));
  t.is(pool.named('pool-tick').length, 3);
});

test('every phase but ready has a deadline; a pod that goes on and a pool that was away are no reason', (t) => {
  const pool = told(3);
  makeReady(pool, at('p2'), at('p1'));
  pool.tell(say(podCreated, at('p3')));
  pool.tell(submit('a'));
  const lease = { ...leaseOf(pool.named('job-run')[0]), run: 'r1', job: 'a' };
  tick(pool, 400_000);
  t.deepEqual(phases(pool), ['leased', 'ready', 'warming'], 'it was away itself');
  for (let seconds = 0; seconds < 179; seconds += 1) {
    tick(pool);
    pool.tell(say(jobProgress, { ...lease, step: 1, steps: 9, reward: 0 }));
  }
  t.deepEqual(phases(pool), ['leased', 'ready', 'warming']);
  for (let seconds = 0; seconds < 10; seconds += 1) tick(pool);
  t.deepEqual(phases(pool), ['leased', 'ready', 'terminating']);
  const asked = pool.named('pod-delete').length;
  for (let seconds = 0; seconds < 120; seconds += 1) tick(pool);
  t.deepEqual(phases(pool), ['terminating', 'leased', 'terminating'], 'it was silent, and another one has its job');
  t.true(pool.named('pod-delete').length > asked + 3, 'an end is asked for until it is known');
});

test('a place whose pods are never ready waits longer each time', (t) => {
  const pool = told(1);
  for (const generation of [1, 2, 3]) {
    pool.tell(say(podLost, { ...at('p1', generation), failure }));
    pool.tell(say(podGone, at('p1', generation)));
    t.is(pool.named('pod-create').length, generation);
    pool.now += 1000 * 2 ** generation - 1;
    tick(pool);
    pool.now += 2;
    tick(pool);
    t.is(pool.named('pod-create').length, generation + 1);
  }
});

test('a pod of another version is not used', (t) => {
  const pool = told(1);
  pool.tell(say(podCreated, at('p1')));
  pool.tell(say(podReady, { ...at('p1'), ...proof, version: '0.0.0' }));
  t.like(pool.state.places.p1, { phase: 'terminating', failure: { code: 'pod/unfit' } });
});

test('a probe goes to a pod that is there, or will be', (t) => {
  const probe = say(probePool, { probe: 'x', seen: [] });
  t.like(told().tell(probe)[0]?.body, { pod: 'p1' });
  const pool = told(2);
  makeReady(pool, at('p2'));
  t.like(pool.tell(probe)[0]?.body, { pod: 'p2' });
});

test('what is shown has a version that rises, and is not shown again while nothing changes', (t) => {
  const pool = told(2);
  makeReady(pool, at('p1'), at('p2'));
  pool.tell(submit('a'));
  t.deepEqual(
    pool.shown.map(({ version }) => version),
    pool.shown.map((_, index) => index + 1),
  );
  const { length } = pool.shown;
  tick(pool);
  pool.tell(submit('a'));
  pool.tell(say(podsScale, exactly(2)));
  t.is(pool.shown.length, length);
  t.is(jobNamed('a').job, 'a');
});
