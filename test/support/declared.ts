/** Every metric that any process of ours declares: importing what declares it is enough. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { register } from 'prom-client';
import { collectProcessMetrics } from '#kit/metrics';

const services = fileURLToPath(new URL('../../services/', import.meta.url));

export interface Declared {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** What Prometheus knows it by. */
  readonly series: readonly string[];
}

export async function declaredMetrics(): Promise<Declared[]> {
  const files = readdirSync(services, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\bmetrics\.[jt]s$/.test(file),
  );
  for (const file of files) await import(`${services}${file}`);
  await import('../../deploy/local/watch.ts');
  collectProcessMetrics();
  const types = new Map((await register.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
  return register.getMetricsAsArray().map((metric) => {
    // what a metric was declared with is in it, and not in its type
    const { name, help, labelNames = [] } = metric as unknown as { name: string; help: string; labelNames?: string[] };
    const isHistogram = types.get(name) === 'histogram';
    const series = isHistogram ? ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`) : [name];
    return { name, help, labels: labelNames, series };
  });
}
