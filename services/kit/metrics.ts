import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, register } from 'prom-client';
import type { Failure } from '#protocol/failure';
import { sleep } from './clock.ts';

/** Declarations for a service's `metrics.ts`: prefix `uplift_`, base units, labels with few values. */
export const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
  new Counter({ name: `uplift_${name}`, help, labelNames });

export const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> =>
  new Gauge({ name: `uplift_${name}`, help, labelNames });

export const histogram = <L extends string>(
  name: string,
  help: string,
  more: { labelNames?: readonly L[]; buckets?: number[] } = {},
): Histogram<L> => new Histogram({ name: `uplift_${name}`, help, ...more });

const fast = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5];
const slow = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600];

const publishes = counter(
  'bus_publishes_total',
  'Publishes that the server confirmed, by whether it had them already',
  ['outcome'],
);
const parked = counter('parked_total', 'Messages parked with a reason', ['actor', 'code']);
export const turns = counter('turns_total', 'Messages that reached a handler, by outcome', ['actor', 'outcome']);
export const turnSeconds = histogram('turn_seconds', 'Time from a delivery until everything was sent', {
  labelNames: ['actor'],
  buckets: fast,
});
export const hopSeconds = histogram('hop_seconds', 'Time from storing a message until all that its turn sent was out', {
  labelNames: ['from', 'to'],
  buckets: fast,
});
export const redeliveries = counter('redeliveries_total', 'Messages delivered to an actor again', ['actor']);
export const acts = counter('acts_total', 'Attempts of acts at an edge, by outcome', ['act', 'outcome']);
export const actSeconds = histogram('act_seconds', 'Duration of one attempt of an act at an edge', {
  labelNames: ['act'],
  buckets: slow,
});
export const actWaitSeconds = histogram('act_wait_seconds', 'Time from storing an act until its first attempt', {
  labelNames: ['act'],
  buckets: slow,
});
export const leader = gauge('leader_epoch', 'Epoch of a single-active actor while this process is the active one', [
  'actor',
]);

/** A message counts as parked once the server has stored it as such, however often that was tried. */
export function countPublish({ subject, failure }: { subject: string; failure: Failure | null }, again: boolean): void {
  publishes.inc({ outcome: again ? 'duplicate' : 'stored' });
  const [, actor = ''] = subject.split('.');
  if (failure && !again) parked.inc({ actor, code: failure.code });
}

/** The metrics of Node that are on a panel; others are not collected. */
const ofNode = [
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'process_cpu_user_seconds_total',
  'process_cpu_system_seconds_total',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
] as const;

/** Registers the metrics of this process; calling it again changes nothing. */
export function collectProcessMetrics(): void {
  if (register.getSingleMetric(`uplift_${ofNode[0]}`)) return;
  const all = new Registry();
  collectDefaultMetrics({ prefix: 'uplift_', register: all });
  for (const name of ofNode) {
    const metric = all.getSingleMetric(`uplift_${name}`);
    if (metric) register.registerMetric(metric);
  }
}

const refreshing = new Set<() => Promise<void>>();

/** Calls `refresh` before each scrape, which waits for it for at most a second. Returns how to end that. */
export function beforeScrape(refresh: () => Promise<void>): () => void {
  refreshing.add(refresh);
  return () => void refreshing.delete(refresh);
}

export async function exposition(): Promise<{ type: string; text: string }> {
  const done = new AbortController();
  const all = Promise.allSettled([...refreshing].map((refresh) => refresh()));
  await Promise.race([all, sleep(1_000, done.signal).catch(() => undefined)]);
  done.abort();
  return { type: register.contentType, text: await register.metrics() };
}
