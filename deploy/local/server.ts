/** The nats-server of a stack: its own, which is kept running, or one that somebody else runs. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Access } from '#kit/access';
import { consumers, streams } from '#protocol/streams';
import { natsConfig, type Passwords } from '../nats/config.ts';
import { findNatsServer } from '../nats/install.ts';
import { provision } from '../nats/provision.ts';
import { roles } from '../nats/roles.ts';
import { type NatsServer, startNatsServer } from '../nats/start.ts';

interface Needs {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onLine: (line: string) => void;
}

export interface BusOfStack {
  readonly url: string;
  readonly nats: NatsServer | undefined;
  readonly access: (role: string) => Access;
}

/** A server that somebody else runs. It does not have our accounts. */
export function external(given: string): BusOfStack {
  const { username, password, host } = new URL(given.includes('://') ? given : `nats://${given}`);
  const url = `nats://${host}`;
  const secret = password ? { user: decodeURIComponent(username), password: decodeURIComponent(password) } : {};
  return { url, nats: undefined, access: (role) => ({ url, role, flat: true, ...secret }) };
}

export async function ownServer(
  { home, env, onLine }: Needs,
  undo: (() => Promise<void>)[],
  fail: (error: Error) => void,
): Promise<BusOfStack> {
  const binary = await findNatsServer({ home, env: { ...env }, onStep: onLine });
  const passwords = freshPasswords();
  const config = natsConfigFor(passwords, binary.version);
  const nats = await startNatsServer({ binary, dir: join(home, 'nats'), config });
  const state = { stopping: false };
  undo.push(async () => {
    state.stopping = true;
    await nats.stop();
  });
  keepRunning(nats, state, onLine).catch(fail);
  rmSync(join(nats.dir, 'nats-server.conf'), { force: true }); // it contains every password; a restart writes it again
  const access = (role: string): Access => ({ url: nats.url, role, password: passwords[role as keyof Passwords] });
  return { url: nats.url, nats, access };
}

const natsConfigFor =
  (passwords: Passwords, version: string) =>
  (at: { port: number; httpPort: number; storeDir: string }): string =>
    natsConfig(passwords, { ...at, version });

/** Restarts a server that dies, on the same store and port; every service waits for it. */
async function keepRunning(
  nats: NatsServer,
  state: { stopping: boolean },
  onLine: (line: string) => void,
): Promise<void> {
  while (!state.stopping) {
    const { code, signal } = await nats.ended;
    if (state.stopping) return;
    onLine(`nats-server ended (${signal ?? `exit code ${code}`}), restarting it; its log is ${nats.logFile}`);
    await nats.restart();
    if (state.stopping) await nats.stop();
    rmSync(join(nats.dir, 'nats-server.conf'), { force: true });
  }
}

const freshPasswords = (): Passwords => {
  const names = [...roles, 'core', 'eval'];
  // every name of Passwords is in the list, which the type of fromEntries cannot say
  return Object.fromEntries(names.map((name) => [name, randomBytes(24).toString('base64url')])) as Passwords;
};

/** Creates the streams of each account; on a server without our accounts, all in its only one. */
export async function prepare(access: BusOfStack['access']): Promise<void> {
  for (const account of ['core', 'eval'] as const)
    await provision(access(account), {
      streams: streams().filter((stream) => stream.account === account),
      consumers: consumers().filter(({ stream }) => stream.account === account),
    });
}
