import type { z } from 'zod';
import { blobs } from '#kit/blobs';
import type { Bus } from '#kit/bus';
import { log } from '#kit/log';
import { eachValue, getValue } from '#kit/values';
import { transcripts, workspaces } from '#protocol/episode';
import { pods } from '#protocol/pod';
import { runRecord } from '#protocol/run';
import { transcript } from '#protocol/transcript';
import type { BlobStore } from '#protocol/value';
import { type Verdict, verdict } from '#protocol/verdict';
import { workspace } from '#protocol/workspace';
import type { PodTotals, RunData } from './run-data.ts';
import { worthReading } from './worth-reading.ts';

/** What the bus does not know about a run. */
export interface Told {
  /** Number of processes that were restarted. */
  readonly restarts: number;
  /** What pods had done before the run began; null: nothing. */
  readonly podsBefore: PodTotals | null;
}

/** Most transcripts that are read, spread over the run, to show choices over time. */
const mostTranscripts = 1_500;

/** Reads a run, as a viewer or operator may; undefined: there is no such run. */
export async function gather(bus: Bus, run: string, told: Told): Promise<RunData | undefined> {
  const record = await getValue(bus, runRecord, `${run}.main`);
  if (!record) return undefined;
  const verdicts = await verdictsOf(bus, run);
  const shown = worthReading(verdicts).map((pick) => pick.verdict);
  const read = [...new Set([...spread(verdicts, mostTranscripts - shown.length), ...shown])];
  return {
    run,
    record,
    verdicts,
    pods: since(await podTotals(bus), told.podsBefore),
    transcripts: await fetchEach(bus, read, {
      store: transcripts,
      schema: transcript,
      hashOf: (one) => one.transcript,
    }),
    workspaces: await fetchEach(bus, shown, { store: workspaces, schema: workspace, hashOf: (one) => one.workspace }),
    restarts: told.restarts,
    at: Date.now(),
  };
}

async function verdictsOf(bus: Bus, run: string): Promise<Verdict[]> {
  const found = new Map<string, Verdict>();
  for await (const { body } of eachValue(bus, verdict, run)) found.set(body.episode, body);
  return [...found.values()].sort((a, b) => a.endedAt - b.endedAt);
}

/** null: the pool has reported nothing yet. */
export async function podTotals(bus: Bus): Promise<PodTotals | null> {
  const there = await getValue(bus, pods, 'pool.main');
  return there ? { most: there.most, podSeconds: there.podSeconds, usefulSeconds: there.usefulSeconds } : null;
}

const since = (now: PodTotals | null, before: PodTotals | null): PodTotals | null =>
  now && {
    most: now.most,
    podSeconds: now.podSeconds - (before?.podSeconds ?? 0),
    usefulSeconds: now.usefulSeconds - (before?.usefulSeconds ?? 0),
  };

const spread = <T>(all: readonly T[], most: number): T[] =>
  all.length <= most ? [...all] : Array.from({ length: most }, (_, n) => all[Math.floor((n * all.length) / most)] as T);

interface Wanted<T> {
  readonly store: BlobStore;
  readonly schema: z.ZodType<T>;
  hashOf(verdict: Verdict): string | null;
}

/** Fetches blobs one after another; a missing or unreadable one is left out of the report. */
async function fetchEach<T>(
  bus: Bus,
  from: readonly Verdict[],
  { store, schema, hashOf }: Wanted<T>,
): Promise<Record<string, T>> {
  const found: Record<string, T> = {};
  for (const one of from) {
    const hash = hashOf(one);
    if (hash === null) continue;
    try {
      const bytes = await blobs(bus).get(store.name, hash);
      found[one.episode] = schema.parse(JSON.parse(new TextDecoder().decode(bytes)));
    } catch (error) {
      log.warn({ episode: one.episode, store: store.name, error: String(error) }, 'a blob is left out of the report');
    }
  }
  return found;
}
