import { Counter, collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client';

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

export const busPublishes = counter('bus_publishes_total', 'Publishes the server confirmed', ['outcome']);
export const turns = counter('turns_total', 'Messages that reached a handler, by what came of it', [
  'actor',
  'outcome',
]);
export const turnSeconds = histogram('turn_seconds', 'From delivery to everything sent', {
  labelNames: ['actor'],
  buckets: fast,
});
export const actSeconds = histogram('act_seconds', 'One act at an edge', { labelNames: ['act'], buckets: slow });
export const acts = counter('acts_total', 'Acts at an edge, by what came of them', ['act', 'outcome']);
export const parked = counter('parked_total', 'Messages parked with a reason', ['actor', 'code']);
export const leader = gauge('leader_epoch', 'Epoch of a single-active actor while this process is the active one', [
  'actor',
]);

/** Node's own figures (memory, event loop lag, garbage collection), once per process. */
export const collectProcessMetrics = (): void => collectDefaultMetrics({ prefix: 'uplift_', register });

export const exposition = async (): Promise<{ type: string; text: string }> => ({
  type: register.contentType,
  text: await register.metrics(),
});
