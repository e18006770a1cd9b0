import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { blobs } from '#kit/blobs';
import type { Bus } from '#kit/bus';
import { sendAll } from '#kit/send';
import { eachValue } from '#kit/values';
import { pack } from '#kit/wire';
import { exactly } from '#protocol/pod';
import { runRecord } from '#protocol/run';
import { verdict } from '#protocol/verdict';
import { gather } from '../../services/cli/report/gather.ts';
import { placesOf, readSummary, writeReport } from '../../services/cli/report/write.ts';
import { both, strictHouse } from '../support/house.ts';
import { madeRun } from './support/made-run.ts';

async function set(bus: Bus, name: string, { address, body }: { address: string; body: unknown }): Promise<void> {
  const subject = `$KV.value_${name}.${address}`;
  const common = { cause: null, schema: 0, due: null, failure: null };
  await sendAll(bus, [{ ...common, subject, id: address.replace('.', '-'), data: pack(body) }]);
}

const toBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

for (const which of both)
  test(`${which} server: a viewer gathers a run as it was left, and nothing of another`, async (t) => {
    const house = await strictHouse(t, which);
    const [conductor, agent, pool, evaluator, viewer] = await Promise.all(
      (['conductor', 'agent', 'pool', 'evaluator', 'viewer'] as const).map((role) => house.bus(role)),
    );
    if (!conductor || !agent || !pool || !evaluator || !viewer) return t.fail();
    const made = madeRun({ steps: 1 });
    const verdicts = await Promise.all(
      made.verdicts.map(async (one, index) => ({
        ...one,
        transcript: await blobs(agent).put('transcript', toBytes(made.transcripts[one.episode])),
        // one that nobody has stored, and one that is no workspace
        workspace:
          index === 0
            ? '0'.repeat(64)
            : await blobs(agent).put('workspace', toBytes(index === 1 ? 7 : made.workspaces[one.episode])),
      })),
    );
    await set(conductor, 'run', { address: `${made.run}.main`, body: made.record });
    for (const body of verdicts) await set(evaluator, 'verdict', { address: `${made.run}.${body.episode}`, body });
    await set(evaluator, 'verdict', { address: 'another.e0', body: { ...verdicts[0], run: 'another' } });
    await set(evaluator, 'verdict', { address: `${made.run}.older`, body: { version: 1, of: 'an older Uplift' } });
    const pods = {
      version: 1,
      wanted: 2,
      scale: exactly(2),
      queued: 0,
      pods: [],
      podSeconds: 300,
      usefulSeconds: 200,
      most: 2,
    };
    await set(pool, 'pods', { address: 'pool.main', body: pods });

    const before = { most: 2, podSeconds: 100, usefulSeconds: 20 };
    const data = await gather(viewer, made.run, { restarts: 3, podsBefore: before });
    if (!data) return t.fail('no run');
    t.deepEqual(data.record, made.record);
    t.deepEqual(data.verdicts, verdicts);
    t.deepEqual(data.transcripts, made.transcripts);
    t.deepEqual(data.pods, { most: 2, podSeconds: 200, usefulSeconds: 180 });
    for (const [episode, files] of Object.entries(data.workspaces)) t.deepEqual(files, made.workspaces[episode]);
    t.is(await gather(viewer, 'unheard-of', { restarts: 0, podsBefore: null }), undefined);

    const runs: string[] = [];
    for await (const { address } of eachValue(viewer, runRecord)) runs.push(address);
    t.deepEqual(runs, [`${made.run}.main`]);
    let all = 0;
    for await (const _ of eachValue(viewer, verdict)) all += 1;
    t.is(all, verdicts.length + 1);
  });

test('report and summary are written to the folder of the run, and the summary is read back', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'uplift-report-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  const data = madeRun({ steps: 2 });
  const places = placesOf(home, data.run);
  t.is(readSummary(places.summary), undefined);
  const told = writeReport(data, places);
  t.deepEqual(readSummary(places.summary), told);
  t.is(places.summary, join(home, 'runs', data.run, 'summary.json'));
  t.regex(await readFile(places.report, 'utf8'), /^<!doctype html>/);
});
