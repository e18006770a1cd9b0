// The whole loop through real processes: agents write jobs, pods train, the evaluator measures, the learner improves.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Bus } from '#kit/bus';
import { listParked } from '#kit/park';
import { eachValue, getValue } from '#kit/values';
import { policyValue } from '#protocol/policy';
import { services } from '#protocol/roles';
import { type RunRecord, runConfig, runRecord } from '#protocol/run';
import { type Verdict, verdict } from '#protocol/verdict';
import { type Stack, startStack } from '../deploy/local/stack.ts';
import { startRun } from '../services/cli/train.ts';
import { until } from './support/house.ts';
import { soak } from './support/soak.ts';

interface Loop {
  readonly stack: Stack;
  readonly operator: Bus;
}

async function loopOf(t: ExecutionContext): Promise<Loop> {
  const home = mkdtempSync(join(tmpdir(), 'uplift-home-'));
  const env = { ...process.env, UPLIFT_LOG_LEVEL: 'warn' };
  const stack = await startStack({ home, env, replicas: {}, pods: 2, onLine: (line) => t.log(line) });
  const operator = await Bus.connect(stack.access('operator'));
  t.teardown(async () => {
    await operator.close();
    await stack.stop();
    rmSync(home, { recursive: true, force: true });
  });
  return { stack, operator };
}

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

const small = { steps: 3, groupsPerStep: 2, groupSize: 3, heldOutEpisodes: 1, heldOutEvery: 0, episodesAtOnce: 8 };

test.serial(
  'a small run, whichever service is killed -9 in the middle of it, learns from every episode once',
  async (t) => {
    t.timeout(240_000);
    const { stack, operator } = await loopOf(t);
    await startRun(operator, 'small', runConfig.parse(soak ? { ...small, steps: 12 } : small));
    for (const victim of [...stack.programs]) {
      const before = (await recordOf(operator, 'small'))?.outcomes;
      process.kill(victim.pid, 'SIGKILL');
      await until(
        `an episode has ended after ${victim.name} was killed`,
        async () => {
          const record = await recordOf(operator, 'small');
          return record?.phase === 'ended' || JSON.stringify(record?.outcomes) !== JSON.stringify(before);
        },
        60,
      );
    }
    await until('the run has ended', async () => (await recordOf(operator, 'small'))?.phase === 'ended', 150);
    await isWhole(t, operator, 'small');
  },
);
