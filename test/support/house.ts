import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { Bus } from '#kit/bus';
import { log } from '#kit/log';
import type { Role } from '#protocol/roles';
import { type Consumer, consumers, streams } from '#protocol/streams';
import { natsConfig, type Passwords } from '../../deploy/nats/config.ts';
import type { NatsBinary } from '../../deploy/nats/install.ts';
import { provision } from '../../deploy/nats/provision.ts';
import { roles } from '../../deploy/nats/roles.ts';
import type { NatsPlace, NatsServer } from '../../deploy/nats/start.ts';
import { oldestAndCurrent, startServer } from './servers.ts';
import { soak } from './soak.ts';

// tests bring about what is logged as an error
log.level = process.env.UPLIFT_LOG_LEVEL ?? 'silent';

/** A server with everything in `protocol/streams.ts` on it, for one test file; gone when the test ends. */
export interface House {
  readonly server: NatsServer;
  bus(role: Role): Promise<Bus>;
}

export type Which = 'oldest' | 'current';
export const both: readonly Which[] = ['oldest', 'current'];
/** For what hangs on our code and not on the server's version: one of them, and both in a soak. */
export const either = (which: Which): readonly Which[] => (soak ? both : [which]);

type Teardown = Pick<ExecutionContext, 'teardown'>;

export const binary = async (which: Which): Promise<NatsBinary> => (await oldestAndCurrent())[which];

/** No accounts: tests of the kit bring messages and acts of their own, which no role is granted. */
export async function flatHouse(t: Teardown, which: Which, acts: Consumer[] = []): Promise<House> {
  const server = await startServer(await binary(which), flatConfig);
  t.teardown(() => server.stop());
  await provision({ url: server.url, role: 'core' }, { streams: streams(), consumers: [...someConsumers(), ...acts] });
  return { server, bus: (role) => connect(t, { url: server.url, role, flat: true }) };
}

/** Of the places of pods, which differ by number alone, two stand for all. */
const someConsumers = (): Consumer[] => consumers().filter(({ name }) => !/-p([3-9]|\d\d+)$/.test(name));

/** The accounts and grants that a real stack runs with; `slip` puts a mistake into their text. */
export async function strictHouse(
  t: Teardown,
  which: Which,
  slip: (config: string) => string = (config) => config,
): Promise<House & { passwords: Passwords }> {
  const found = await binary(which);
  const passwords = makePasswords();
  const server = await startServer(found, (at) => slip(natsConfig(passwords, { ...at, version: found.version })));
  t.teardown(() => server.stop());
  for (const account of ['core', 'eval'] as const)
    await provision(
      { url: server.url, role: account, password: passwords[account] },
      {
        streams: streams().filter((stream) => stream.account === account),
        consumers: consumers().filter(({ stream }) => stream.account === account),
      },
    );
  return { server, passwords, bus: (role) => connect(t, { url: server.url, role, password: passwords[role] }) };
}

async function connect(t: Teardown, access: Parameters<typeof Bus.connect>[0]): Promise<Bus> {
  const bus = await Bus.connect(access);
  t.teardown(() => bus.nc.close());
  return bus;
}

const makePasswords = (): Passwords =>
  Object.fromEntries(
    [...roles, 'core', 'eval'].map((name) => [name, randomBytes(18).toString('base64url')]),
  ) as Passwords;

const flatConfig = ({ port, httpPort, storeDir }: NatsPlace): string =>
  `listen: "127.0.0.1:${port}"
http: "127.0.0.1:${httpPort}"
max_payload: ${8 * 2 ** 20}
jetstream { store_dir: ${JSON.stringify(storeDir)} }
`;

/** Asks until the answer is true; a test fails when it does not come in time. */
export async function until(what: string, ask: () => Promise<boolean> | boolean, seconds = 20): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`after ${seconds} s still not: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
