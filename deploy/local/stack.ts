/**
 * The whole of Uplift on one machine: a nats-server of its own, every service as a process, started in that order and
 * stopped in the other. Everything is leashed to this process; however it ends, nothing is left running.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Access } from '#kit/bus';
import { placesOf, type Service, services } from '#protocol/roles';
import { consumers, streams } from '#protocol/streams';
import { natsConfig, type Passwords } from '../nats/config.ts';
import { findNatsServer } from '../nats/install.ts';
import { provision } from '../nats/provision.ts';
import { roles } from '../nats/roles.ts';
import { type NatsServer, startNatsServer } from '../nats/start.ts';
import { lock, StackError, writeStackFile } from './home.ts';
import { type Program, startProgram } from './program.ts';
import { hiddenSeedOf } from './secrets.ts';

export interface StackOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Processes of each service; one where nothing is said. */
  readonly replicas: Readonly<Partial<Record<Service, number>>>;
  readonly onLine: (line: string) => void;
}

export interface Stack {
  readonly url: string;
  readonly nats: NatsServer | undefined;
  readonly programs: readonly Program[];
  access(role: string): Access;
  /** Rejects when the stack cannot go on. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

const drainSeconds = 8;

export async function startStack(options: StackOptions): Promise<Stack> {
  const unlock = lock(options.home);
  const undo: (() => Promise<void>)[] = [async () => unlock()];
  const stop = async (): Promise<void> => {
    while (undo.length > 0) await undo.pop()?.();
  };
  try {
    return await start(options, { undo, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Ends {
  readonly undo: (() => Promise<void>)[];
  readonly stop: () => Promise<void>;
}

async function start(options: StackOptions, { undo, stop }: Ends): Promise<Stack> {
  const { home, onLine } = options;
  let fail = (_: Error): void => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined); // whoever runs the stack listens; who only starts and stops it need not
  const bus = options.env.UPLIFT_NATS_URL
    ? external(options.env.UPLIFT_NATS_URL)
    : await ownServer(options, undo, fail);
  await prepare(bus.access);
  writeStackFile(home, {
    pid: process.pid,
    startedAt: new Date().toISOString(),
    url: bus.url,
    monitorUrl: bus.nats?.monitorUrl ?? null,
    flat: bus.nats === undefined,
    passwords: bus.nats
      ? { operator: bus.access('operator').password ?? '', viewer: bus.access('viewer').password ?? '' }
      : {},
  });
  const secret = { UPLIFT_EVALUATOR_HIDDEN_SEED: options.env.UPLIFT_EVALUATOR_HIDDEN_SEED ?? hiddenSeedOf(home) };
  const programs = services.flatMap((service) =>
    Array.from({ length: options.replicas[service] ?? 1 }, (_, index) =>
      startProgram({
        service,
        name: `${service}-${index + 1}`,
        logDir: join(home, 'logs'),
        env: {
          ...environment(options.env, bus.access(service)),
          ...(service === 'evaluator' ? secret : {}),
          UPLIFT_PLACE: placesOf(service)[index],
        },
        graceSeconds: drainSeconds + 4,
        onLine,
        onRefused: (log) => fail(new StackError(`${service} refused its configuration: see the end of ${log}`)),
      }),
    ),
  );
  undo.push(async () => void (await Promise.all(programs.map((program) => program.stop()))));
  return { url: bus.url, nats: bus.nats, programs, access: bus.access, failed, stop };
}

interface BusOfStack {
  readonly url: string;
  readonly nats: NatsServer | undefined;
  readonly access: (role: string) => Access;
}

/** A server that somebody else runs. Its accounts are its owner's business, so ours are not there. */
function external(given: string): BusOfStack {
  const { username, password, host } = new URL(given.includes('://') ? given : `nats://${given}`);
  const url = `nats://${host}`;
  const secret = password ? { user: decodeURIComponent(username), password: decodeURIComponent(password) } : {};
  return { url, nats: undefined, access: (role) => ({ url, role, flat: true, ...secret }) };
}

async function ownServer(
  { home, env, onLine }: StackOptions,
  undo: Ends['undo'],
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
  rmSync(join(nats.dir, 'nats-server.conf'), { force: true }); // it holds every password; a restart writes it again
  const access = (role: string): Access => ({ url: nats.url, role, password: passwords[role as keyof Passwords] });
  return { url: nats.url, nats, access };
}

const natsConfigFor =
  (passwords: Passwords, version: string) =>
  (at: { port: number; httpPort: number; storeDir: string }): string =>
    natsConfig(passwords, { ...at, version });

/** A server that dies is started again on the same store and port; every service waits for it. */
async function keepRunning(
  nats: NatsServer,
  state: { stopping: boolean },
  onLine: (line: string) => void,
): Promise<void> {
  while (!state.stopping) {
    const { code, signal } = await nats.ended;
    if (state.stopping) return;
    onLine(`nats-server ended (${signal ?? `exit code ${code}`}), starting it again; its log is ${nats.logFile}`);
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

/** The streams of each account; on a server without our accounts, all of them in the one there is. */
async function prepare(access: BusOfStack['access']): Promise<void> {
  for (const account of ['core', 'eval'] as const)
    await provision(access(account), {
      streams: streams().filter((stream) => stream.account === account),
      consumers: consumers().filter(({ stream }) => stream.account === account),
    });
}

const environment = (env: StackOptions['env'], access: Access): Record<string, string | undefined> => ({
  ...env,
  UPLIFT_EVALUATOR_HIDDEN_SEED: undefined,
  UPLIFT_NATS_URL: access.url,
  UPLIFT_NATS_USER: access.user,
  UPLIFT_NATS_PASSWORD: access.password,
  UPLIFT_NATS_FLAT: access.flat ? 'true' : undefined,
  UPLIFT_DRAIN_SECONDS: String(drainSeconds),
});
