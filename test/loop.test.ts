// The whole loop through real processes: agents write jobs, pods train, the evaluator measures, the learner improves, and
// a Prometheus beside them sees all of it.
import test, { type ExecutionContext } from 'ava';
import { blobs } from '#kit/blobs';
import type { Bus } from '#kit/bus';
import { listParked } from '#kit/park';
import { eachValue, getValue } from '#kit/values';
import { transcripts } from '#protocol/episode';
import { policyValue } from '#protocol/policy';
import { services } from '#protocol/roles';
import { type RunRecord, runConfig, runRecord } from '#protocol/run';
import { transcript } from '#protocol/transcript';
import { type Verdict, verdict } from '#protocol/verdict';
import type { Stack } from '../deploy/local/stack.ts';
import { Watch } from '../services/cli/top/facts.ts';
import { frame } from '../services/cli/top/frame.ts';
import { runsWith, storyOf } from '../services/cli/trace/story.ts';
import { hopsOf } from '../services/cli/trace/tree.ts';
import { startRun } from '../services/cli/train.ts';
import { both, until } from './support/house.ts';
import { soak } from './support/soak.ts';
import { stackOn } from './support/stack.ts';
import { pause } from './support/story.ts';
import { firstThatTries } from './support/tries.ts';
import { everyQueryAnswers, lookSeconds, watched } from './support/watched.ts';

const recordOf = (operator: Bus, run: string): Promise<RunRecord | undefined> =>
  getValue(operator, runRecord, `${run}.main`);

async function verdictsOf(operator: Bus, run: string): Promise<Verdict[]> {
  const found: Verdict[] = [];
  for await (const { body } of eachValue(operator, verdict, run)) found.push(body);
  return found;
}

/** What holds of every run that came to its end, whatever happened to it on the way. */
async function isWhole(t: ExecutionContext, operator: Bus, run: string): Promise<void> {
  const record = await recordOf(operator, run);
  const { steps, groupsPerStep, groupSize, maxStepsOffPolicy } = record?.config ?? runConfig.parse({});
  t.is(record?.over, 'done', record?.failure?.detail ?? '');
  t.is(record?.steps.length, steps);
  t.is((await getValue(operator, policyValue, `${run}.main`))?.version, steps);
  const verdicts = await verdictsOf(operator, run);
  const trained = verdicts.filter(({ purpose }) => purpose === 'training');
  t.is(trained.length, steps * groupsPerStep * groupSize);
  t.is(new Set(verdicts.map(({ episode }) => episode)).size, verdicts.length);
  const { scored, invalid, failed } = record?.outcomes ?? { scored: 0, invalid: 0, failed: 0 };
  t.is(scored + invalid + failed, verdicts.length);
  t.is(failed, 0, JSON.stringify(verdicts.filter(({ outcome }) => outcome === 'failed').map(({ failure }) => failure)));
  for (const step of record?.steps ?? []) t.true(step.stalenessMax <= maxStepsOffPolicy);
  for (const one of verdicts.filter(({ outcome }) => outcome === 'scored')) {
    t.true(one.reward !== null && one.reward >= 0 && one.reward <= 1);
    t.true(one.workspace !== null && one.pod !== null);
  }
  for (const service of services)
    for await (const { was, failure } of listParked(operator, service)) t.fail(`${was} is parked: ${failure?.detail}`);
}

/** What a viewer sees of a run: its figures at one glance, and of any episode the whole story, EVAL's part included. */
async function isSeen(t: ExecutionContext, viewer: Bus, run: string): Promise<void> {
  const facts = await new Watch(viewer).look();
  t.is(facts.run?.name, run);
  t.regex(frame(facts, { columns: 80, rows: 24, colour: false, now: facts.at }), /done[\s\S]*\n {2}p\d/u);
  const [scored] = (await verdictsOf(viewer, run)).filter(({ outcome }) => outcome === 'scored');
  const { episode = '' } = scored ?? {};
  t.deepEqual(await runsWith(viewer, episode), [run]);
  const hops = hopsOf(await storyOf(viewer, { run, episode })).filter(({ name }) => name !== 'episode-overdue');
  t.deepEqual(
    hops.filter(({ parent }) => parent === null).map(({ name }) => name),
    ['episode-start'],
  );
  const names = new Set(hops.map(({ name }) => name));
  for (const name of ['move-made', 'workspace-checked', 'job-submit', 'job-run', 'job-trained'])
    t.true(names.has(name), `${name} is missing`);
  for (const name of ['job-answer', 'job-answered', 'lease-ended', 'episode-graded'])
    t.true(names.has(name), `${name} is missing`);
  t.is(hops.filter(({ name }) => name === 'episode-ended').length, 3);
}

/** What an agent tried was run once and told once, and its pods are paid for. */
async function isTriedOnce(t: ExecutionContext, operator: Bus, at: { run: string; episode: string }): Promise<void> {
  const found = await getValue(operator, verdict, `${at.run}.${at.episode}`);
  const bytes = await blobs(operator).get(transcripts.name, found?.transcript ?? '');
  const { moves } = transcript.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const begun = moves.flatMap(({ calls }) => calls).filter(({ tool }) => tool === 'run_experiment').length;
  const told = moves.flatMap(({ experiments }) => experiments);
  t.true(begun >= 2, `${at.episode} began ${begun} experiments`);
  t.deepEqual(
    told.map(({ experiment }) => experiment).sort(),
    Array.from({ length: begun }, (_, n) => n + 1),
  );
  t.log(at.episode, JSON.stringify(told.map(({ outcome, ...of }) => [outcome, 'score' in of ? of.score : of])));
  const trained = told.filter(({ outcome }) => outcome !== 'invalid').length;
  t.is(found?.jobs, trained + (found?.outcome === 'scored' ? 1 : 0));
  t.true(trained === 0 || (found?.podSeconds ?? 0) > (found?.seconds ?? 0));
}

/** All processes of a stack; pods that were replaced have new ids. */
const victimsOf = ({ programs, pods, nats }: Stack): { name: string; pid: number }[] => [
  ...programs.map(({ name, pid }) => ({ name, pid })),
  ...(nats ? [{ name: 'nats-server', pid: nats.pid }] : []),
  ...pods.running().map(({ name, pid }) => ({ name, pid })),
];

// long enough to be looked at several times between two kills, on a fast machine too
const size = { steps: 6, groupsPerStep: 2, groupSize: 3, heldOutEpisodes: 1, heldOutEvery: 0, episodesAtOnce: 8 };
const small = { ...size, podUsdPerHour: 1, budgetUsd: 100 };

for (const which of soak ? both : (['current'] as const))
  test.serial(
    `${which} server: a run learns from every episode once, whichever process is killed -9 in the middle of it`,
    async (t) => {
      t.timeout(soak ? 1_800_000 : 240_000);
      const { stack, operator, viewer, home } = await stackOn(t, which, 2);
      const watch = await watched(t, stack, home);
      const { seed, episode } = await firstThatTries('small');
      await startRun(operator, 'small', runConfig.parse({ ...small, seed, steps: soak ? 30 : small.steps }));
      const isOver = async (): Promise<boolean> => (await recordOf(operator, 'small'))?.phase === 'ended';
      const ended = async (): Promise<number> => (await verdictsOf(operator, 'small')).length;
      await until('the first episode has ended', async () => (await ended()) > 0, 120);
      const rounds = soak ? 200 : victimsOf(stack).length;
      for (let round = 0; round < rounds && !(await isOver()); round += 1) {
        const all = victimsOf(stack);
        const { name, pid } = all[round % all.length] ?? { name: 'nobody', pid: 0 };
        const before = await ended();
        process.kill(pid, 'SIGKILL');
        const killed = performance.now();
        const goesOn = async (): Promise<boolean> => (await isOver()) || (await ended()) > before;
        await until(`an episode ends after ${name} was killed`, goesOn, 60);
        t.log(`${name} killed: an episode ended after`, Math.round(performance.now() - killed), 'ms');
        await pause(1_500 * lookSeconds); // what a process counted is seen before the next one is killed
      }
      await until('the run has ended', isOver, soak ? 1_500 : 150);
      await isWhole(t, operator, 'small');
      await isSeen(t, viewer, 'small');
      await isTriedOnce(t, operator, { run: 'small', episode });
      await everyQueryAnswers(t, watch, 'small');
    },
  );
