// A pod on a real bus, with real trainings.
import test from 'ava';
import { blobs } from '#kit/blobs';
import { jobAnswer, jobAnswered, jobFailed, jobProgress, jobTrained, leaseEnded } from '#protocol/job';
import { podReady, podWarm } from '#protocol/pod';
import { version } from '#protocol/version';
import { readSafetensors } from '../../runtime/micro/safetensors.ts';
import { withReward } from '../environment/support.ts';
import { flatHouse, type House, until } from '../support/house.ts';
import { ask, filesOf, heardBy, servePod, tell } from './support.ts';

type Bus = Awaited<ReturnType<House['bus']>>;

const ends: (() => unknown)[] = [];
const teardown = (end: () => unknown): void => void ends.push(end);
let bus: Bus;
test.before(async () => {
  const house = await flatHouse({ teardown }, 'current');
  await servePod({ teardown }, house);
  bus = await house.bus('operator');
});
test.after.always(async () => {
  for (const end of ends.reverse()) await end();
});

const trainedOf = async (job: string) => (await heardBy(bus, 'evaluator', jobTrained)).find((one) => one.job === job);
async function untilTrained(job: string) {
  await until(`${job} is trained`, async () => (await trainedOf(job)) !== undefined, 50);
  const found = await trainedOf(job);
  if (!found) throw new Error(job);
  return found;
}

test.serial('a pod is ready when it has shown its versions and trained', async (t) => {
  await tell(bus, podWarm, { body: { pod: 'p1', generation: 1 }, from: 'pool' });
  await until('it is ready', async () => (await heardBy(bus, 'pool', podReady)).length === 1, 50);
  const [ready] = await heardBy(bus, 'pool', podReady);
  t.like(ready, { pod: 'p1', generation: 1, version });
  t.regex(ready?.runtimes.micro ?? '', /^[0-9a-f]{64}$/);
  t.true((ready?.seconds ?? 0) > 0);
});

test.serial('same files, same weights; another seed, others', async (t) => {
  await ask(bus, filesOf(), { job: 'one', token: 1 });
  await ask(bus, filesOf(), { job: 'two', token: 2 });
  await ask(bus, filesOf(undefined, { seed: 4 }), { job: 'other', token: 3 });
  const [one, two, other] = [await untilTrained('one'), await untilTrained('two'), await untilTrained('other')];
  t.truthy(one.weights);
  t.is(one.weights, two.weights);
  t.not(one.weights, other.weights);
  t.is(one.curve.length, 2);
  t.true(readSafetensors(await blobs(bus).get('weights', one.weights ?? '')).has('embedding'));
});

test.serial('what was trained last answers each prompt, and the pod is free', async (t) => {
  await ask(bus, filesOf(), { job: 'asked', token: 4 });
  const trained = await untilTrained('asked');
  await tell(bus, jobAnswer, { body: { ...trained, prompts: ['abc>', 'hello>', 'abc>'] }, from: 'evaluator' });
  await until('it has answered', async () => (await heardBy(bus, 'evaluator', jobAnswered)).length === 1);
  const [answered] = await heardBy(bus, 'evaluator', jobAnswered);
  t.is(answered?.completions.length, 3);
  t.is(answered?.completions[0], answered?.completions[2]);
  await until('it is free', async () => (await heardBy(bus, 'pool', leaseEnded)).some(({ job }) => job === 'asked'));
});

test.serial('what a job does wrong is an outcome: no weights, and the curve so far', async (t) => {
  const wrong = {
    throws: filesOf(withReward("if (prompt.length > 0) throw new Error('mine'); return 0;")),
    endless: filesOf(withReward('for (;;);')),
    slow: filesOf(undefined, { steps: 1000, groups_per_step: 16, group_size: 16 }),
  };
  let token = 5;
  for (const [job, files] of Object.entries(wrong))
    await ask(bus, files, { job, token: token++, seconds: job === 'slow' ? 6 : 60 });
  for (const job of Object.keys(wrong)) t.log(job, (await untilTrained(job)).curve.length);
  const faultOf = async (job: string): Promise<string> => {
    const { weights, fault } = await untilTrained(job);
    t.is(weights, null, job);
    return `${fault?.code} ${fault?.detail}`;
  };
  t.regex(await faultOf('throws'), /^job\/environment environment\.js:\d+: .*mine/);
  t.regex(await faultOf('endless'), /^job\/environment environment\.js/);
  t.regex(await faultOf('slow'), /^job\/overran training was not finished after 6 s/);
  t.true((await untilTrained('slow')).curve.length > 0);
  t.true((await heardBy(bus, 'pool', jobProgress)).some(({ job }) => job === 'slow'));
});

test.serial('what was meant for an earlier process or an earlier lease is not done', async (t) => {
  await ask(bus, filesOf(), { job: 'stale', token: 1 });
  await ask(bus, filesOf(), { job: 'fresh', token: 99 });
  await untilTrained('fresh');
  t.is(await trainedOf('stale'), undefined);
});

test.serial('an unreadable workspace is not the fault of the job: it failed, and the pod is free', async (t) => {
  await ask(bus, { 'train.toml': 'steps = "many"' }, { job: 'unreadable', token: 100 });
  await until('it failed', async () => (await heardBy(bus, 'evaluator', jobFailed)).length === 1);
  t.is((await heardBy(bus, 'evaluator', jobFailed))[0]?.failure.code, 'edge/refused');
  t.true((await heardBy(bus, 'pool', leaseEnded)).some(({ job }) => job === 'unreadable'));
  t.false((await heardBy(bus, 'pool', leaseEnded)).some(({ job }) => job === 'one'));
});

test.serial(
  'a pod that is told to stop lets go of a training at once, and the next process does not take it up',
  async (t) => {
    const house = await flatHouse(t, 'current');
    const operator = await house.bus('operator');
    const { stop } = await servePod(t, house);
    await ask(operator, filesOf(undefined, { steps: 1000, groups_per_step: 16, group_size: 16 }), { job: 'long' });
    await until(
      'it trains',
      async () => (await heardBy(operator, 'pool', jobProgress)).some(({ step }) => step > 0),
      50,
    );
    const told = performance.now();
    await stop();
    t.log('let go after', Math.round(performance.now() - told), 'ms');
    await servePod(t, house, 2);
    await ask(operator, filesOf(), { job: 'next', generation: 2, token: 2 });
    await until('the next is trained', async () => (await heardBy(operator, 'evaluator', jobTrained)).length > 0, 50);
    t.deepEqual(
      (await heardBy(operator, 'evaluator', jobTrained)).map(({ job }) => job),
      ['next'],
    );
  },
);
