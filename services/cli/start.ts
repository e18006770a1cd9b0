import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Bus } from '#kit/bus';
import { quoted } from '#kit/config';
import type { PodScale } from '#protocol/pod';
import type { RunConfig, RunRecord } from '#protocol/run';
import { homeOf } from '../../deploy/local/home.ts';
import { type Stack, startStack } from '../../deploy/local/stack.ts';
import { endLines } from './ending.ts';
import { scaleText } from './pods.ts';
import { Progress } from './progress.ts';
import { plural } from './report/figures.ts';
import { gather, podTotals } from './report/gather.ts';
import type { PodTotals } from './report/run-data.ts';
import { placesOf, writeReport } from './report/write.ts';
import { bold, dim, green, red, say, UsedWrongly, warn } from './say.ts';
import { untilTold } from './told.ts';
import { checked, nameOfRun, quickstart, startRun, stopRun, unfinished, watchRun } from './train.ts';

export interface StartOptions {
  readonly pods: PodScale;
  /** Knobs given on the command line. */
  readonly given: Readonly<Record<string, unknown>>;
  /** A file that the summary is also written to; undefined: only to the folder of the run. */
  readonly json: string | undefined;
  /** Stop runs that have not ended, and begin another. */
  readonly fresh: boolean;
}

export interface TrainOptions extends Pick<StartOptions, 'given' | 'json'> {
  readonly config: RunConfig;
  readonly home: string;
}

/**
 * The whole loop on this machine: a stack, a run on it, a report of the run. After Ctrl-C, the next start resumes the
 * run.
 */
export async function start(options: StartOptions): Promise<void> {
  if (options.pods.ceiling === 0) throw new UsedWrongly('--pods 0: no job would ever be trained; give 1 or more');
  const home = homeOf(process.env);
  const told = untilTold();
  const stack = await startStack({
    home,
    env: process.env,
    replicas: {},
    pods: options.pods,
    onLine: (line) => say(dim(line)),
  });
  const progress = new Progress();
  try {
    await Promise.race([play(stack, { options, home, signal: told, progress }), stack.failed]);
  } catch (error) {
    if (!told.aborted) throw error; // a request that was under way when the bus was closed
    say(`\n${bold('interrupted')}: nothing is lost. ${bold('npm start')} resumes the run.`);
    process.exitCode = 130;
  } finally {
    progress.end();
    say(dim('stopping …'));
    await stack.stop();
    say(dim('stopped; nothing is left running'));
  }
}

interface Playing {
  readonly options: StartOptions;
  readonly home: string;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** A run on a stack that is already up. Ctrl-C stops watching it; the run goes on. */
export async function train(bus: Bus, options: TrainOptions): Promise<void> {
  const signal = untilTold();
  const progress = new Progress();
  const podsBefore = await podTotals(bus);
  const run = await newRun(bus, checked({ ...options.config, ...options.given }, 'the options'));
  const record = await watchRun(bus, run, { signal, onLook: (now) => progress.look(now) });
  progress.end();
  if (record?.phase === 'ended')
    await tellEnd(bus, { run, record, options, podsBefore, home: options.home, restarts: 0 });
  else say(`run ${bold(run)} goes on: npx uplift runs show ${run}`);
}

async function play(stack: Stack, { options, home, signal, progress }: Playing): Promise<void> {
  say(
    `${bold('uplift')}   nats ${stack.nats ? `${stack.nats.version}, private` : `your own, at ${stack.url}`} · ${scaleText(options.pods)} pods · logs in ${show(join(home, 'logs'))}`,
  );
  const bus = await Bus.connect(stack.access('operator'));
  signal.addEventListener('abort', () => void bus.nc.close(), { once: true });
  try {
    const podsBefore = await podTotals(bus);
    const run = await runToPlay(bus, options);
    const record = await watchRun(bus, run, { signal, onLook: (now) => progress.look(now) }).catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    progress.end();
    if (signal.aborted || record?.phase !== 'ended') {
      say(`\n${bold('interrupted')}: nothing is lost. ${bold('npm start')} resumes run ${run}.`);
      process.exitCode = 130;
      return;
    }
    await tellEnd(bus, { run, record, options, home, restarts: restartsOf(stack), podsBefore });
  } finally {
    await bus.close();
  }
}

/** Resumes an interrupted run; with `--fresh`, or if there is none, begins another. */
async function runToPlay(bus: Bus, { given, fresh }: StartOptions): Promise<string> {
  const left = await unfinished(bus);
  if (fresh) for (const { run } of left) await stopRun(bus, run);
  const last = fresh ? undefined : left.at(-1);
  if (last) {
    const differs = Object.entries(given).find(([name, value]) => !agrees(Object(last.record.config)[name], value));
    if (differs)
      throw new UsedWrongly(
        `run ${last.run} has not ended, and its ${differs[0]} is ${quoted(Object(last.record.config)[differs[0]])}, not ${quoted(differs[1])}: ` +
          '"npm start" resumes it, "npm start -- --fresh" stops it and begins another',
      );
    say(`resuming run ${bold(last.run)}, ${last.record.steps.length} of ${last.record.config.steps} steps done`);
    return last.run;
  }
  return await newRun(bus, checked({ ...quickstart(given.mind), ...given }, 'the options'));
}

/** Whether a knob has what was given; an endpoint has defaults for what was not. */
const agrees = (knob: unknown, given: unknown): boolean =>
  Object(given) === given
    ? Object.entries(Object(given)).every(([name, value]) => Object(knob)[name] === value)
    : knob === given;

async function newRun(bus: Bus, config: RunConfig): Promise<string> {
  const run = nameOfRun(new Date());
  await startRun(bus, run, config);
  const episodes = config.groupsPerStep * config.groupSize;
  say(
    `run ${bold(run)}: ${plural(config.steps, 'step')} of ${episodes} episodes, seed ${config.seed}; ${config.endpoint ? `${config.endpoint.model} at ${config.endpoint.baseUrl}` : `a ${config.mind} mind`} writes the jobs\n`,
  );
  return run;
}

interface Ended {
  readonly run: string;
  readonly record: RunRecord;
  readonly options: Pick<StartOptions, 'json'>;
  readonly home: string;
  readonly restarts: number;
  /** What the pods had done before the run; null: nothing. */
  readonly podsBefore: PodTotals | null;
}

async function tellEnd(bus: Bus, { run, record, options, home, restarts, podsBefore }: Ended): Promise<void> {
  if (record.over === 'failed') {
    warn(red(`the run could not go on: ${record.failure?.code}: ${record.failure?.detail}`));
    process.exitCode = 1;
  }
  const data = await gather(bus, run, { restarts, podsBefore });
  if (!data) throw new Error(`there is no run ${run}`);
  const places = placesOf(home, run);
  const summary = writeReport(data, places);
  if (options.json !== undefined) {
    const file = resolve(options.json);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(summary, null, 2)}\n`);
  }
  say();
  for (const line of endLines(summary)) say(line);
  say(`\n${green('report')}     ${show(places.report)}`);
}

const restartsOf = ({ programs }: Stack): number => programs.reduce((sum, { restarts }) => sum + restarts, 0);
const show = (path: string): string => relative(process.cwd(), path) || path;
