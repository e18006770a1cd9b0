import { closeSync, mkdirSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Leashed, leashed } from '../local/leash.ts';
import { withoutKeys } from '../local/secrets.ts';
import type { PrometheusPrograms } from './install.ts';

interface StartOptions {
  readonly programs: PrometheusPrograms;
  /** Where `prometheus.yml` is; data and log go beside it. */
  readonly dir: string;
  /** Taken where it is free, else any; 0: any. */
  readonly port: number;
}

export interface Prometheus {
  readonly url: string;
  /** Debian's program has its pages in a package beside it, which is there only where it was installed. */
  readonly hasPages: boolean;
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const readyWithinMs = 30_000;

/** A Prometheus on loopback, leashed to this process, ready to be asked. */
export async function startPrometheus({ programs, dir, port }: StartOptions): Promise<Prometheus> {
  const url = `http://${host}:${await freePort(port)}`;
  mkdirSync(dir, { recursive: true });
  const logFile = join(dir, 'prometheus.log');
  const log = openSync(logFile, 'a');
  const args = [
    `--config.file=${join(dir, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(dir, 'data')}`,
    '--storage.tsdb.retention.time=30d',
    `--web.listen-address=${url.slice('http://'.length)}`,
    '--log.level=warn',
  ];
  const program = leashed(programs.prometheus, args, {
    cwd: dir,
    env: withoutKeys(process.env),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  try {
    await untilReady(program, url, logFile);
  } catch (error) {
    await program.stop();
    throw error;
  }
  return { url, hasPages: await answers(`${url}/graph`), stop: () => program.stop() };
}

async function untilReady({ child }: Leashed, url: string, logFile: string): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  while (!(await answers(`${url}/-/ready`))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`prometheus ended at its start: see the end of ${logFile}`);
    if (performance.now() > deadline)
      throw new Error(`prometheus was not ready after ${readyWithinMs / 1000} s: see the end of ${logFile}`);
    await sleep(50);
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    async (response) => (await response.arrayBuffer()) && response.ok,
    () => false,
  );

export async function freePort(wanted: number): Promise<number> {
  return (await listenOnce(wanted)) ?? (await listenOnce(0)) ?? 0;
}

/** The port, where it can be had now. */
function listenOnce(port: number): Promise<number | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      const got = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(got));
    });
  });
}
