import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'smol-toml';
import type { Bus } from '#kit/bus';
import { quoted } from '#kit/config';
import { nearest } from '#kit/nearest';
import { tell } from '#kit/tell';
import { eachValue, getValue } from '#kit/values';
import { pods } from '#protocol/pod';
import { type RunConfig, type RunRecord, runConfig, runRecord, runStart, runStop } from '#protocol/run';
import { root } from '../../deploy/local/root.ts';
import type { Watched } from './progress.ts';
import { UsedWrongly } from './say.ts';

/** The knobs of a run, from a TOML file with the names of `protocol/run.ts`. Throws `UsedWrongly`. */
export function readRunConfig(file: string): RunConfig {
  let raw: Record<string, unknown>;
  try {
    raw = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsedWrongly(`--config ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const known = Object.keys(runConfig.shape);
  for (const name of Object.keys(raw))
    if (!known.includes(name)) throw new UsedWrongly(`${file}: ${name} is not known here; ${nearest(name, known)}`);
  return checked(raw, file);
}

/** The knobs of `npm start`, which are others for a language model. */
export const quickstart = (mind: unknown): RunConfig =>
  readRunConfig(join(root, 'deploy', 'runs', mind === 'openai' ? 'language-model.toml' : 'quickstart.toml'));

/** The knobs of a run; throws `UsedWrongly`, which quotes the first value that does not fit. */
export function checked(raw: Record<string, unknown>, where: string): RunConfig {
  const parsed = runConfig.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String) ?? [];
  const value = path.reduce<unknown>((inner, name) => Object(inner)[name], raw);
  throw new UsedWrongly(`${where}: ${path.join('.')} is ${quoted(value)}: ${issue?.message}`);
}

export const nameOfRun = (now: Date): string =>
  `r-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;

export const startRun = (bus: Bus, run: string, config: RunConfig): Promise<void> =>
  tell(bus, runStart, { run, config });
export const stopRun = (bus: Bus, run: string): Promise<void> => tell(bus, runStop, { run });

/** Runs that have not ended, the newest last. */
export async function unfinished(bus: Bus): Promise<{ run: string; record: RunRecord }[]> {
  const found: { run: string; record: RunRecord }[] = [];
  for await (const { address, body } of eachValue(bus, runRecord))
    if (body.phase !== 'ended') found.push({ run: address.replace(/\.main$/, ''), record: body });
  return found.sort((a, b) => a.record.startedAt - b.record.startedAt);
}

const lookEveryMs = 250;

/** Watches a run until it has ended, or until `signal` is aborted, which does not stop the run. */
export async function watchRun(
  bus: Bus,
  run: string,
  { signal, onLook }: { signal: AbortSignal; onLook: (now: Watched) => void },
): Promise<RunRecord | undefined> {
  for (;;) {
    const [record, there] = await Promise.all([
      getValue(bus, runRecord, `${run}.main`),
      getValue(bus, pods, 'pool.main'),
    ]);
    if (signal.aborted) return record;
    onLook({ run, record, pods: there });
    if (record?.phase === 'ended') return record;
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }
}
