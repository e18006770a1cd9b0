// The pool and the cloud of a laptop, with real processes: pods and the pool itself are killed -9.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { blobs } from '#kit/blobs';
import type { Bus } from '#kit/bus';
import { getValue } from '#kit/values';
import { jobRun, jobSubmit, jobTrained, leaseEnded } from '#protocol/job';
import { exactly, pods, podsScale } from '#protocol/pod';
import { servePods } from '../../deploy/local/pods.ts';
import { startProgram } from '../../deploy/local/program.ts';
import { filesOf, heardBy, jobNamed, tell } from '../pod/support.ts';
import { flatHouse, until } from '../support/house.ts';

const shownOf = async (bus: Bus) => (await getValue(bus, pods, 'pool.main'))?.pods ?? [];
const runsOf = async (bus: Bus, job: string) => (await heardBy(bus, 'pod', jobRun)).filter((one) => one.job === job);

async function submit(bus: Bus, job: string, knobs: Parameters<typeof filesOf>[1] = {}): Promise<void> {
  const workspace = await blobs(bus).put('workspace', Buffer.from(JSON.stringify(filesOf(undefined, knobs))));
  await tell(bus, jobSubmit, { body: jobNamed(job, { workspace }), from: 'evaluator' });
}

/** As the evaluator does when it has heard of a pod what it wanted to know. */
async function endLeases(bus: Bus): Promise<void> {
  for (const { run, job, pod, generation, token } of await heardBy(bus, 'pod', jobRun))
    await tell(bus, leaseEnded, { body: { run, job, pod, generation, token, seconds: 1 }, from: 'evaluator' });
}

test('a queue has pods made, and quiet ends them; a pod that is killed is replaced and its job is run again; a pool that is killed doubles nothing', async (t) => {
  t.timeout(240_000);
  const logDir = mkdtempSync(join(tmpdir(), 'uplift-pods-'));
  const house = await flatHouse(t, 'current');
  const env = {
    ...process.env,
    UPLIFT_NATS_URL: house.server.url,
    UPLIFT_NATS_FLAT: 'true',
    UPLIFT_DRAIN_SECONDS: '0',
  };
  const common = { logDir, graceSeconds: 5, onLine: (line: string) => t.log(line) };
  const cloud = await servePods({ ...common, env });
  const provider = { UPLIFT_POOL_PROVIDER_URL: cloud.url, UPLIFT_POOL_PROVIDER_TOKEN: cloud.token };
  const pool = startProgram({
    ...common,
    service: 'pool',
    name: 'pool',
    env: { ...env, ...provider },
    onRefused: t.fail,
  });
  t.teardown(async () => {
    await Promise.all([cloud.stop(), pool.stop()]);
    rmSync(logDir, { recursive: true, force: true });
  });
  const bus = await house.bus('operator');
  const ready = async () => (await shownOf(bus)).filter(({ phase }) => phase === 'ready');
  const trained = async () => (await heardBy(bus, 'evaluator', jobTrained)).map(({ job }) => job);

  // 1. a queue has a second pod made, and quiet ends it
  await tell(bus, podsScale, { body: { floor: 1, ceiling: 2, idleSeconds: 1 }, from: 'operator' });
  await until('one pod is ready', async () => (await ready()).length === 1, 120);
  for (const job of ['first', 'second']) await submit(bus, job);
  await until('both are trained', async () => (await trained()).length === 2, 120);
  t.is(cloud.running().length, 2);
  await endLeases(bus);
  await until('one is left', async () => cloud.running().length === 1 && (await ready()).length === 1, 60);

  // 2. as many as are wanted
  await tell(bus, podsScale, { body: exactly(2), from: 'operator' });
  await until('two pods are ready', async () => (await ready()).length === 2, 120);
  t.is((await fetch(`${cloud.url}/pods`)).status, 401, 'without the token nobody hears anything');

  // 3. a pod dies with its job
  await submit(bus, 'long', { steps: 100, groups_per_step: 8, group_size: 8 });
  await until('it has a pod', async () => (await shownOf(bus)).some(({ job }) => job === 'long'));
  const first = (await shownOf(bus)).find(({ job }) => job === 'long');
  const victim = cloud.running().find(({ name }) => name === `pod-${first?.pod}`);
  process.kill(victim?.pid ?? 0, 'SIGKILL');
  const killed = performance.now();
  await until('it has another one', async () => (await runsOf(bus, 'long')).length === 2, 60);
  t.log('run again after', Math.round(performance.now() - killed), 'ms');
  const next = (first?.generation ?? 0) + 1;
  const isBack = async () =>
    (await shownOf(bus)).some(
      ({ pod, generation, phase }) => pod === first?.pod && generation === next && phase === 'ready',
    );
  await until('there are two pods again', isBack, 120);
  t.log('replaced after', Math.round(performance.now() - killed), 'ms');

  // 4. the pool dies while a pod trains
  const before = cloud.running();
  process.kill(pool.pid, 'SIGKILL');
  await submit(bus, 'short');
  await until('it is trained', async () => (await trained()).includes('short'), 60);
  t.deepEqual(cloud.running(), before, 'pods live on');
  t.deepEqual([(await runsOf(bus, 'short')).length, (await runsOf(bus, 'long')).length], [1, 2]);

  // 5. none is wanted: who has a job keeps it, and ends with it
  await tell(bus, podsScale, { body: exactly(0), from: 'operator' });
  await endLeases(bus);
  await until('nothing is left', async () => cloud.running().length === 0 && (await shownOf(bus)).length === 0, 60);
});
