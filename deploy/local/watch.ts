/** A Prometheus beside a stack, and a Grafana where one is installed; both are leashed to this process. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveHttp } from '#kit/http';
import { beforeScrape, collectProcessMetrics, gauge } from '#kit/metrics';
import { findPrometheus, PrometheusMissing } from '../prometheus/install.ts';
import { type Prometheus, startPrometheus } from '../prometheus/start.ts';
import { type Grafana, startGrafana } from './grafana.ts';
import { watchNats } from './nats-metrics.ts';
import { root } from './root.ts';
import type { Stack } from './stack.ts';
import { keepTargets } from './targets.ts';

const restarts = gauge('stack_restarts', 'Number of restarts of a process of this stack', ['program']);

interface Options {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onLine: (line: string) => void;
  /** Preferred ports; 0: any free one. */
  readonly ports?: { readonly prometheus: number; readonly grafana: number };
  /** Scrape interval of Prometheus, seconds; default: that of `deploy/prometheus/prometheus.yml`. */
  readonly lookSeconds?: number;
}

export interface Watch {
  /** Undefined: none could be had, and `missing` says why. */
  readonly prometheus: Prometheus | undefined;
  readonly missing: string | undefined;
  /** Undefined: none is installed. */
  readonly grafana: Grafana | undefined;
  /** The command that starts both in containers. */
  readonly compose: string;
  stop(): Promise<void>;
}

const files = fileURLToPath(new URL('../prometheus/', import.meta.url));

export async function startWatch(stack: Stack, options: Options): Promise<Watch> {
  const { home, env, onLine, ports = { prometheus: 9090, grafana: 3000 } } = options;
  const dir = join(home, 'watch');
  const undo: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    while (undo.length > 0) await undo.pop()?.();
  };
  try {
    undo.push(await exposeStack(stack, dir));
    writeConfig(dir, options.lookSeconds);
    const found = await findPrometheus({ home, env, onStep: onLine }).catch((error) => {
      if (error instanceof PrometheusMissing) return error;
      throw error;
    });
    const missing = found instanceof PrometheusMissing ? found.message : undefined;
    const prometheus =
      found instanceof PrometheusMissing
        ? undefined
        : await startPrometheus({ programs: found, dir, port: ports.prometheus });
    if (prometheus) undo.push(() => prometheus.stop());
    const grafana = prometheus && (await startGrafana({ dir, env, port: ports.grafana, prometheus }));
    if (grafana) undo.push(() => grafana.stop());
    const compose = `UPLIFT_HOME=${home} docker compose -f ${join(root, 'deploy/compose/watch.yml')} up`;
    return { prometheus, missing, grafana, compose, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function writeConfig(dir: string, lookSeconds: number | undefined): void {
  copyFileSync(join(files, 'alerts.yml'), join(dir, 'alerts.yml'));
  const config = readFileSync(join(files, 'prometheus.yml'), 'utf8');
  const looking =
    lookSeconds === undefined ? config : config.replaceAll(/_interval: \d+s/g, `_interval: ${lookSeconds}s`);
  writeFileSync(join(dir, 'prometheus.yml'), looking);
}

/** Exposes the launcher's own metrics, and keeps the list of all processes that have some. Returns how to end that. */
async function exposeStack(stack: Stack, dir: string): Promise<() => Promise<void>> {
  mkdirSync(dir, { recursive: true });
  collectProcessMetrics();
  const ends = [
    beforeScrape(async () => {
      for (const { name, restarts: times } of stack.programs) restarts.set({ program: name }, times);
    }),
    ...(stack.nats ? [watchNats(stack.nats.monitorUrl)] : []),
  ];
  const http = await serveHttp(0, () => ({ ok: true, service: 'launcher', pid: process.pid }));
  const own = { targets: [`127.0.0.1:${http.port}`], labels: { service: 'launcher', instance: 'launcher' } };
  const told = new AbortController();
  const kept = keepTargets(stack, { file: join(dir, 'targets', 'uplift.json'), own, signal: told.signal });
  return async () => {
    told.abort();
    await kept.catch(() => undefined); // a request that was under way when the bus was closed
    for (const end of ends) end();
    http.close();
  };
}
