/**
 * All of Uplift on one machine: a private nats-server, then every service as a process; they are stopped in the reverse
 * order. Everything is leashed to this process: however it ends, nothing is left running.
 */
import { join } from 'node:path';
import type { Access } from '#kit/access';
import { Bus } from '#kit/bus';
import { tell } from '#kit/tell';
import { type PodScale, podsScale } from '#protocol/pod';
import { type Service, services } from '#protocol/roles';
import type { NatsServer } from '../nats/start.ts';
import { lock, StackError, writeStackFile } from './home.ts';
import { type Pods, servePods } from './pods.ts';
import { type Program, startProgram } from './program.ts';
import { hiddenSeedOf, mindKeysOf, withoutKeys } from './secrets.ts';
import { type BusOfStack, external, ownServer, prepare } from './server.ts';

export interface StackOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Number of processes of each service; default: one. Pods are not among them: the pool has them created. */
  readonly replicas: Readonly<Partial<Record<Service, number>>>;
  /** How many pods the pool is told to have. */
  readonly pods: PodScale;
  readonly onLine: (line: string) => void;
}

export interface Stack {
  readonly url: string;
  readonly nats: NatsServer | undefined;
  readonly programs: readonly Program[];
  readonly pods: Pods;
  access(role: string): Access;
  /** Rejects if the stack cannot go on. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

const drainSeconds = 8;
const graceSeconds = drainSeconds + 4;

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
  const logDir = join(home, 'logs');
  const podEnv = environment(options.env, bus.access('pod'));
  const pods = await servePods({ logDir, env: podEnv, graceSeconds, onLine });
  const programs = startPrograms(options, { access: bus.access, secrets: secretsOf(options, pods), logDir, fail });
  // no more pods can be ordered from then on, and everything ends at once
  undo.push(async () => void (await Promise.all([pods, ...programs].map((one) => one.stop()))));
  await scale(bus.access('operator'), options.pods);
  return { url: bus.url, nats: bus.nats, programs, pods, access: bus.access, failed, stop };
}

type Environment = Record<string, string | undefined>;

/** Environment variables that only one service gets. */
const secretsOf = ({ env, home }: StackOptions, { url, token }: Pods): Partial<Record<Service, Environment>> => ({
  evaluator: { UPLIFT_EVALUATOR_HIDDEN_SEED: env.UPLIFT_EVALUATOR_HIDDEN_SEED ?? hiddenSeedOf(home) },
  agent: mindKeysOf(env),
  pool: { UPLIFT_POOL_PROVIDER_URL: url, UPLIFT_POOL_PROVIDER_TOKEN: token },
});

interface Means extends Pick<BusOfStack, 'access'> {
  readonly secrets: Partial<Record<Service, Environment>>;
  readonly logDir: string;
  readonly fail: (error: Error) => void;
}

const startPrograms = ({ env, replicas, onLine }: StackOptions, { access, secrets, logDir, fail }: Means): Program[] =>
  services
    .filter((service) => service !== 'pod')
    .flatMap((service) =>
      Array.from({ length: replicas[service] ?? 1 }, (_, index) =>
        startProgram({
          ...{ service, name: `${service}-${index + 1}`, logDir, graceSeconds, onLine },
          env: { ...environment(env, access(service)), ...secrets[service] },
          onRefused: (log) => fail(new StackError(`${service} refused its configuration: see the end of ${log}`)),
        }),
      ),
    );

async function scale(operator: Access, pods: PodScale): Promise<void> {
  const bus = await Bus.connect(operator);
  await tell(bus, podsScale, pods);
  await bus.close();
}

const environment = (env: StackOptions['env'], access: Access): Environment => ({
  ...withoutKeys(env),
  UPLIFT_EVALUATOR_HIDDEN_SEED: undefined,
  UPLIFT_NATS_URL: access.url,
  UPLIFT_NATS_USER: access.user,
  UPLIFT_NATS_PASSWORD: access.password,
  UPLIFT_NATS_FLAT: access.flat ? 'true' : undefined,
  UPLIFT_DRAIN_SECONDS: String(drainSeconds),
});
