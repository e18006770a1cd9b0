// The two servers every test of NATS runs on: they sit on both sides of what changed between versions.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentNatsServer, type NatsBinary, oldestNatsServer } from '../../deploy/nats/install.ts';
import { type NatsPlace, type NatsServer, startNatsServer } from '../../deploy/nats/start.ts';
import { root } from './root.ts';

const home = join(root, '.uplift');

/** 2.9.10 and one of today, fetched once into `.uplift/bin`; test files may ask at the same time. */
export async function oldestAndCurrent(): Promise<{ oldest: NatsBinary; current: NatsBinary }> {
  const options = { home, env: process.env };
  const [oldest, current] = await Promise.all([oldestNatsServer(options), currentNatsServer(options)]);
  return { oldest, current };
}

/** A server with JetStream and nothing else set. */
export function plainConfig({ port, httpPort, storeDir }: NatsPlace): string {
  return [
    `listen: "127.0.0.1:${port}"`,
    `http: "127.0.0.1:${httpPort}"`,
    `jetstream { store_dir: ${JSON.stringify(storeDir)} }`,
    '',
  ].join('\n');
}

/** A server in a folder of its own under the system's temporary one; `stop` removes the folder too. */
export async function startServer(binary: NatsBinary, config = plainConfig): Promise<NatsServer> {
  const dir = await mkdtemp(join(tmpdir(), 'uplift-nats-'));
  const cleared = () => rm(dir, { recursive: true, force: true });
  const server = await startNatsServer({ binary, dir, config }).catch(async (error: Error) => {
    await cleared();
    throw error;
  });
  const { stop } = server;
  // Assigned, not spread: a spread would freeze what the getters say now.
  return Object.assign(server, { stop: (graceMs?: number) => stop(graceMs).then(cleared) });
}
