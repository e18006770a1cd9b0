import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bus } from '#kit/bus';
import { getValue } from '#kit/values';
import { exactly } from '#protocol/pod';
import { type RunConfig, runRecord } from '#protocol/run';
import type { Move } from '#protocol/transcript';
import { type Verdict, verdict } from '#protocol/verdict';
import { homeOf, readStackFile, StackError } from '../../deploy/local/home.ts';
import { startStack } from '../../deploy/local/stack.ts';
import { bold, dim, red, say, warn } from './say.ts';
import { untilTold } from './told.ts';
import { eachMade } from './trace/moves.ts';
import { nameOfRun, startRun, stopRun } from './train.ts';
import { type Extent, endingLines, moveLines } from './transcript.ts';

export interface PlayOptions extends Extent {
  readonly config: RunConfig;
  /** A file that all of it is also written to; undefined: none. */
  readonly json: string | undefined;
}

/** The conductor names the episode of a trial so. */
const episode = 'trial-0';
const lookEveryMs = 200;

/** Both roles: one begins the run, the other reads what is said. */
interface Buses {
  readonly operator: Bus;
  readonly viewer: Bus;
}

/** Plays one episode, on the stack that is up in this home or on one of its own, and shows each move as it is made. */
export async function playOne(options: PlayOptions): Promise<void> {
  const told = untilTold();
  await withBoth(told, async (buses) => {
    const run = nameOfRun(new Date());
    await startRun(buses.operator, run, options.config);
    say(dim(`one episode on family ${options.config.trial}, as run ${run}`));
    const played = await follow(buses.viewer, run, { signal: told, ...options });
    if (told.aborted) await stopRun(buses.operator, run);
    finish(run, played, { ...options, aborted: told.aborted });
  });
}

async function withBoth(told: AbortSignal, work: (buses: Buses) => Promise<void>): Promise<void> {
  const home = homeOf(process.env);
  try {
    const { url, flat, passwords } = readStackFile(home);
    await connected((role) => ({ url, role, flat, password: passwords[role] }), work);
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    const onLine = (line: string): void => say(dim(line));
    const stack = await startStack({ home, env: process.env, replicas: {}, pods: exactly(2), onLine });
    try {
      await Promise.race([connected((role) => stack.access(role), work), stack.failed]);
    } finally {
      say(dim('stopping …'));
      await stack.stop();
    }
  }
  if (told.aborted) process.exitCode = 130;
}

type AccessOf = (role: 'operator' | 'viewer') => Parameters<typeof Bus.connect>[0];

async function connected(accessOf: AccessOf, work: (buses: Buses) => Promise<void>): Promise<void> {
  const operator = await Bus.connect(accessOf('operator'));
  const viewer = await Bus.connect(accessOf('viewer'));
  try {
    await work({ operator, viewer });
  } finally {
    await Promise.all([operator.close(), viewer.close()]);
  }
}

interface Played {
  readonly moves: readonly Move[];
  readonly ending: Verdict | undefined;
  /** Why there was no episode; null: there was one. */
  readonly refused: string | null;
}

/** Shows every move as soon as it is made, until the episode has ended or could not begin. */
async function follow(bus: Bus, run: string, at: PlayOptions & { signal: AbortSignal }): Promise<Played> {
  let [seen, from]: [readonly Move[], number] = [[], 1];
  for (;;) {
    const [ending, record] = await Promise.all([
      getValue(bus, verdict, `${run}.${episode}`),
      getValue(bus, runRecord, `${run}.main`),
    ]);
    for await (const { moves, next } of eachMade(bus, { run, episode, from })) {
      for (const move of moves.slice(seen.length))
        for (const line of moveLines(move, moves.indexOf(move) + 1, at)) say(line);
      [seen, from] = [moves, next];
    }
    const refused = record?.failure ? `${record.failure.code}: ${record.failure.detail}` : null;
    if (ending || refused !== null || at.signal.aborted) return { moves: seen, ending, refused };
    await sleep(lookEveryMs, undefined, { signal: at.signal }).catch(() => undefined);
  }
}

function finish(run: string, played: Played, { json, aborted }: PlayOptions & { aborted: boolean }): void {
  const { moves, ending, refused } = played;
  if (json !== undefined) {
    mkdirSync(dirname(resolve(json)), { recursive: true });
    writeFileSync(resolve(json), `${JSON.stringify({ run, episode, moves, verdict: ending ?? null }, null, 2)}\n`);
  }
  if (refused !== null) {
    warn(red(`the episode could not begin: ${refused}`));
    process.exitCode = 1;
    return;
  }
  if (!ending) {
    if (aborted) say(`\n${bold('interrupted')}: what was played is in run ${run}`);
    return;
  }
  say(bold('── ending ────────'));
  for (const line of endingLines(ending)) say(line);
  say(dim(`\nagain: npx uplift episode show ${episode} --run ${run}   (on a stack that is up)`));
  if (ending.outcome === 'failed') process.exitCode = 1;
}
