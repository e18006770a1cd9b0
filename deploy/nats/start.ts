// One nats-server on loopback, leashed to this process. What is in its configuration is the caller's business;
// here it gets free ports, a folder, a log, and is waited for until it answers. In `dir` afterwards:
// nats-server.conf, nats-server.log and jetstream/ (the store).
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ending, type Leashed, leashed } from '../local/leash.ts';
import { withoutKeys } from '../local/secrets.ts';
import type { NatsBinary } from './install/binary.ts';

const host = '127.0.0.1';
const readyWithinMs = 30_000;
const attempts = 5;

/** What a configuration must use: these two ports on 127.0.0.1 (`httpPort` for monitoring) and this store. */
export type NatsPlace = { port: number; httpPort: number; storeDir: string };

export type StartOptions = {
  binary: NatsBinary;
  dir: string;
  config: (at: NatsPlace) => string;
  /** The clients' port; without it, any free one. */
  port?: number;
  /** Told in a line what happens to the server; its own log is a file. */
  onLog?: (line: string) => void;
};

export type NatsServer = {
  readonly url: string;
  readonly monitorUrl: string;
  readonly port: number;
  readonly version: string;
  readonly dir: string;
  readonly logFile: string;
  /** The server process of now: `restart` makes a new one. */
  readonly pid: number;
  /** How the server process of now ends; never rejects. */
  readonly ended: Promise<Ending>;
  stop(graceMs?: number): Promise<void>;
  kill9(): Promise<void>;
  /** The same configuration, ports and store again; a server still running is stopped first. */
  restart(): Promise<void>;
};

export async function startNatsServer(options: StartOptions): Promise<NatsServer> {
  const dir = resolve(options.dir);
  const site: Site = { ...options, dir, logFile: join(dir, 'nats-server.log') };
  await mkdir(dir, { recursive: true });
  const { at, program } = await startOnFreePorts(site);
  let now = program;
  return {
    url: `nats://${host}:${at.port}`,
    monitorUrl: monitorUrl(at),
    port: at.port,
    version: options.binary.version,
    dir,
    logFile: site.logFile,
    get pid() {
      return now.pid;
    },
    get ended() {
      return now.ended;
    },
    stop: (graceMs = 10_000) => now.stop(graceMs),
    async kill9() {
      now.child.kill('SIGKILL');
      await now.ended;
    },
    async restart() {
      await now.stop(10_000);
      now = await start(site, at);
    },
  };
}

type Site = StartOptions & { logFile: string };

class PortTaken extends Error {}

/** A port found free may be taken by another before the server has it: then others are tried. */
async function startOnFreePorts(site: Site): Promise<{ at: NatsPlace; program: Leashed }> {
  for (let attempt = 1; ; attempt += 1) {
    const at = { ...(await freePorts(site.port)), storeDir: join(site.dir, 'jetstream') };
    try {
      return { at, program: await start(site, at) };
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === attempts) throw error;
      site.onLog?.(`port ${at.port} or ${at.httpPort} was taken meanwhile, trying others`);
    }
  }
}

async function start(site: Site, at: NatsPlace): Promise<Leashed> {
  const { binary, dir } = site;
  const configFile = join(dir, 'nats-server.conf');
  await writeFile(configFile, site.config(at), { mode: 0o600 }); // it may hold passwords
  for (const left of await portsFiles(dir)) await rm(join(dir, left));
  const log = await open(site.logFile, 'a');
  const logStart = (await log.stat()).size;
  const args = ['-c', configFile, '--ports_file_dir', dir];
  const program = leashed(binary.path, args, {
    cwd: dir,
    env: withoutKeys(process.env),
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close(); // the server has its own by now
  await untilReady(program, site, at).catch(async (error: Error) => {
    await program.stop();
    throw await explained(error, site, logStart);
  });
  site.onLog?.(`nats-server ${binary.version} is ready on nats://${host}:${at.port} (process ${program.pid})`);
  return program;
}

async function untilReady({ child }: Leashed, { binary, dir }: Site, at: NatsPlace): Promise<void> {
  const name = `nats-server ${binary.version}`;
  const deadline = Date.now() + readyWithinMs;
  // Once it listens the server writes a ports file; without that, another server on these ports may be answering.
  while ((await portsFiles(dir)).length === 0 || !(await isHealthy(at))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`${name} ended at its start (${child.signalCode ?? `exit code ${child.exitCode}`})`);
    }
    if (Date.now() > deadline) throw new Error(`${name} was not ready after ${readyWithinMs / 1000} s`);
    await sleep(10);
  }
}

async function portsFiles(dir: string): Promise<string[]> {
  return (await readdir(dir)).filter((name) => name.endsWith('.ports'));
}

function isHealthy(at: NatsPlace): Promise<boolean> {
  return fetch(`${monitorUrl(at)}/healthz`, { signal: AbortSignal.timeout(1_000) }).then(
    async (response) => (await response.arrayBuffer()) && response.ok,
    () => false,
  );
}

function monitorUrl({ httpPort }: NatsPlace): string {
  return `http://${host}:${httpPort}`;
}

/** The failure with the server's last words, which say what is wrong better than we can. */
async function explained(failure: Error, { logFile }: Site, logStart: number): Promise<Error> {
  const written = (await readFile(logFile)).subarray(logStart).toString();
  const lastWords = written.trim().split('\n').slice(-8).join('\n  ');
  const message = `${failure.message}. The end of ${logFile}:\n  ${lastWords || '(nothing was written)'}`;
  return /address already in use/.test(lastWords) ? new PortTaken(message) : new Error(message, { cause: failure });
}

async function freePorts(port = 0): Promise<{ port: number; httpPort: number }> {
  const clients = await listen(port);
  const monitor = await listen(0).catch(async (error: Error) => {
    await close(clients);
    throw error;
  });
  return { port: await close(clients), httpPort: await close(monitor) };
}

function listen(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is already in use: stop what listens there' : `fails (${error.code})`;
      reject(new Error(`Port ${port} on ${host} ${why}, or choose another port`, { cause: error }));
    });
    server.listen(port, host, () => resolve(server));
  });
}

function close(server: Server): Promise<number> {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return new Promise((resolve) => {
    server.close(() => resolve(port));
  });
}
