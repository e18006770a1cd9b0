import type { Command } from 'commander';
import type { Bus } from '#kit/bus';
import { eachValue, getValue } from '#kit/values';
import { token } from '#protocol/message';
import { type RunRecord, runRecord } from '#protocol/run';
import { homeOf } from '../../deploy/local/home.ts';
import { endLines } from './ending.ts';
import { withStack } from './open.ts';
import { examples } from './options.ts';
import { orDash } from './report/figures.ts';
import { gather } from './report/gather.ts';
import type { RunData } from './report/run-data.ts';
import { resultOf } from './report/section/glance.ts';
import { summaryOf } from './report/summary.ts';
import { placesOf, readSummary, writeReport } from './report/write.ts';
import { bold, dim, say, sayJson, table, UsedWrongly } from './say.ts';
import { stopRun } from './train.ts';

const listing = [['uplift runs ls', 'every run, the latest last']] as const;
const showing = [['uplift runs show r-20261201-153215', 'its figures']] as const;
const reporting = [
  ['uplift runs report r-20261201-153215', 'writes report.html and summary.json under .uplift/runs'],
  ['uplift runs report r-20261201-153215 --out run.html', 'the report goes there instead'],
] as const;

const stopping = [['uplift runs stop r-20261201-153215', 'it ends when its last episodes have ended']] as const;

/** `uplift runs …`: which runs there are, and how they went. */
export function addRuns(program: Command): void {
  const runs = program
    .command('runs')
    .description('the runs there are, and how each went')
    .addHelpText('after', examples(...listing, ...showing, ...reporting, ...stopping));
  runs
    .command('ls')
    .description('every run, the latest last')
    .option('--json', 'for programs', false)
    .addHelpText('after', examples(...listing))
    .action(({ json }: { json: boolean }) => withStack('viewer', (bus) => list(bus, json)));
  runs
    .command('show')
    .description('how a run went, in figures')
    .argument('<run>', 'as "runs ls" names it')
    .option('--json', 'for programs: the summary of the run', false)
    .addHelpText('after', examples(...showing))
    .action((run: string, { json }: { json: boolean }) => withStack('viewer', (bus) => show(bus, run, json)));
  runs
    .command('report')
    .description('write the report of a run, an HTML file that needs no network, and its summary.json')
    .argument('<run>', 'as "runs ls" names it')
    .option('--out <FILE>', 'where to write the report (default: runs/<run>/report.html in the home)')
    .option('--json', 'for programs: print the summary', false)
    .addHelpText('after', examples(...reporting))
    .action((run: string, options: { out?: string; json: boolean }) =>
      withStack('viewer', (bus) => report(bus, run, options)),
    );
  runs
    .command('stop')
    .description('begin no more episodes in a run, which ends when those under way have ended')
    .argument('<run>', 'as "runs ls" names it')
    .option('--json', 'for programs', false)
    .addHelpText('after', examples(...stopping))
    .action((run: string, { json }: { json: boolean }) => withStack('operator', (bus) => stop(bus, run, json)));
}

async function list(bus: Bus, json: boolean): Promise<void> {
  const found = new Map<string, RunRecord>();
  for await (const { address, body } of eachValue(bus, runRecord)) found.set(address.replace(/\.main$/, ''), body);
  const all = [...found].sort(([, a], [, b]) => a.startedAt - b.startedAt);
  if (json) return sayJson(all.map(([run, record]) => ({ run, ...record })));
  if (all.length === 0) return say('no run yet; "npm start" makes one');
  const rows = all.map(([run, { phase, over, steps, config, startedAt }]) => [
    run,
    new Date(startedAt).toISOString().slice(0, 16).replace('T', ' '),
    over ?? phase,
    `${steps.length}/${config.steps}`,
    `${orDash(steps[0]?.reward ?? null)} → ${orDash(steps.at(-1)?.reward ?? null)}`,
  ]);
  for (const line of table([['run', 'started (UTC)', 'state', 'steps', 'reward'], ...rows])) say(line);
}

async function stop(bus: Bus, run: string, json: boolean): Promise<void> {
  const { phase, over, underWay } = await recordOf(bus, run);
  const isNew = phase !== 'ended' && over === null;
  if (isNew) await stopRun(bus, run);
  if (json) return sayJson({ run, stopped: isNew, underWay });
  if (phase === 'ended') return say(`${run} has ended already`);
  say(
    isNew ? `${run} begins no more episodes; ${underWay} are under way` : `${run} is ending: ${underWay} are under way`,
  );
}

async function recordOf(bus: Bus, run: string): Promise<RunRecord> {
  checkName(run);
  const record = await getValue(bus, runRecord, `${run}.main`);
  if (!record) throw unknown(run);
  return record;
}

function checkName(run: string): void {
  if (!token.safeParse(run).success)
    throw new UsedWrongly(`"${run}" is not the name of a run: it is 1 to 64 letters, digits, "-" or "_"`);
}

const unknown = (run: string): UsedWrongly =>
  new UsedWrongly(`there is no run "${run}"; "npx uplift runs ls" shows those there are`);

/** What only the process that watched the run knew (restarts, pods) is read from the summary that it wrote. */
async function dataOf(bus: Bus, run: string): Promise<{ data: RunData; home: string }> {
  checkName(run);
  const home = homeOf(process.env);
  const before = readSummary(placesOf(home, run).summary);
  const data = await gather(bus, run, { restarts: before?.restarts ?? 0, podsBefore: null });
  if (!data) throw unknown(run);
  const pods = data.record.phase === 'ended' && before ? { ...before.pods, most: before.pods.max } : data.pods;
  return { data: { ...data, pods }, home };
}

async function show(bus: Bus, run: string, json: boolean): Promise<void> {
  const { data } = await dataOf(bus, run);
  if (json) return sayJson(summaryOf(data));
  say(bold(resultOf(data)));
  for (const line of endLines(summaryOf(data))) say(line);
  say(dim(`\nthe whole of it: npx uplift runs report ${run}`));
}

async function report(bus: Bus, run: string, { out, json }: { out?: string; json: boolean }): Promise<void> {
  const { data, home } = await dataOf(bus, run);
  const places = placesOf(home, run);
  const told = writeReport(data, { ...places, report: out ?? places.report });
  if (json) sayJson(told);
  else say(`${out ?? places.report}\n${places.summary}`);
}
