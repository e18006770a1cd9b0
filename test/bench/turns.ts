import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Bus } from '#kit/bus';
import { toHeaders } from '#kit/nats';
import { pack } from '#kit/wire';
import { mailOf, stateOf } from '#protocol/streams';
import { until } from '../support/house.ts';
import { tell } from '../support/relay.ts';
import { moduleFile } from '../support/root.ts';
import { median, rate, round, spread, timeEach } from './figures.ts';

/** In flight at once: so many calls of the plain client, so many instances of the actor. */
const lanes = 64;
const told = { run: 'r1', key: 'k', n: 1 };
const passed = (label: string, n: number): string => `msg.conductor.${label}.k${n % lanes}.agent.number-passed`;

/** What the plain client takes for a JetStream publish and a KV put of the size of the actor's own record. */
async function bare(bus: Bus, count: number, label: string) {
  const js = bus.nc.jetstream({ checkAPI: false });
  const body = pack(told);
  const record = (await bus.load(stateOf('agent'), `r1.${label}-0`))?.data;
  const both = async (n: number): Promise<void> => {
    await js.publish(passed(`bare-${label}`, n), body, { msgID: `bare-${label}-${performance.now()}-${n}` });
    await js.publish(`$KV.state_conductor.bare-${label}.k${n % lanes}`, record);
  };
  const perSecond = await rate(count, lanes, both);
  const milliseconds = await timeEach(count / 4, both);
  return { perSecond, milliseconds };
}

/**
 * Turns a second of one actor process that finds its mail full, by the times at which what it sent was stored. The first
 * third is its warming up (the plain client here is warm too) and does not count.
 */
async function throughput(bus: Bus, count: number, label: string): Promise<number> {
  const from = (await lastSeq(bus)) + 1;
  await rate(count, lanes, (n) => tell(bus, `${label}-${n % lanes}`, n));
  await using actor = await startActor(bus);
  await until('all is passed on', async () => (await lastSeq(bus)) >= from + count - 1, 120);
  void actor;
  const warm = Math.floor(count / 3);
  const [first, last] = [await timeOf(bus, from + warm), await timeOf(bus, from + count - 1)];
  return ((count - warm) / (last - first)) * 1000;
}

/**
 * A hop: from a message being stored in one mail until its consequence is stored in the next, by the server's clock. One
 * at a time: the next is told when the one before is acknowledged, and nobody else takes the processors meanwhile. The
 * actor has had as many turns before as the plain client has had calls.
 */
async function timeHops(bus: Bus, count: number, label: string): Promise<number[]> {
  await using actor = await startActor(bus);
  void actor;
  const from = (await lastSeq(bus)) + 1;
  await rate(4 * count, lanes, (n) => tell(bus, `${label}-${n % lanes}`, n));
  await until('all is passed on', async () => (await lastSeq(bus)) >= from + 4 * count - 1, 120);
  let acknowledged = (): void => undefined;
  const acks = bus.nc.subscribe('$JS.ACK.mail_agent.turns.>', { callback: () => acknowledged() });
  await timeEach(count, async (n) => {
    const done = new Promise<void>((resolve) => {
      acknowledged = resolve;
    });
    tellUnheard(bus, `${label}-${n % lanes}`, 4 * count + n);
    await done;
  });
  acks.unsubscribe();
  const [told, passedOn] = [await storedAt(bus, 'mail_agent', count), await storedAt(bus, 'mail_conductor', count)];
  return passedOn.map((at, n) => at - (told[n] ?? Number.NaN));
}

/** Says a number and does not wait for the server to say that it is stored. */
function tellUnheard(bus: Bus, key: string, n: number): void {
  const subject = `msg.agent.r1.${key}.operator.number-told`;
  const common = { id: `told-${key}-${n}`, schema: 1, cause: null, due: null, failure: null };
  const out = { ...common, subject, data: pack({ run: 'r1', key, n }) };
  bus.nc.publish(subject, out.data, { headers: toHeaders(out) });
}

/** When the last `count` messages of a stream were stored, milliseconds, to the microsecond. */
async function storedAt(bus: Bus, stream: string, count: number): Promise<number[]> {
  const info = await bus.nc.request(`$JS.API.STREAM.INFO.${stream}`, '');
  const last: number = Object(info.json()).state.last_seq;
  const times: number[] = [];
  for (let seq = last - count + 1; seq <= last; seq += 1) {
    const { headers } = await bus.nc.request(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify({ seq }));
    const [, second = '', fraction = ''] = /:(\d+)\.?(\d*)Z$/.exec(headers?.last('Nats-Time-Stamp') ?? '') ?? [];
    const minute = Date.parse((headers?.last('Nats-Time-Stamp') ?? '').replace(/:\d+(\.\d*)?Z$/, ':00Z')) - epoch;
    times.push(minute + Number(`${second}.${fraction || 0}`) * 1000);
  }
  return times;
}

/** Kept small, so that microseconds fit beside it. */
const epoch = Date.now();

async function lastSeq(bus: Bus): Promise<number> {
  const found = await bus.nc.request('$JS.API.STREAM.INFO.mail_conductor', '');
  return Object(found.json()).state.last_seq;
}

const timeOf = async (bus: Bus, seq: number): Promise<number> => {
  const found = await bus.next(mailOf('conductor'), 'msg.conductor.>', seq);
  return found?.at ?? Number.NaN;
};

async function startActor(bus: Bus) {
  const main = moduleFile('./actor', import.meta.url);
  const url = `nats://${bus.nc.getServer()}`;
  const child = spawn(process.execPath, ['--expose-gc', main, url], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, UPLIFT_LOG_LEVEL: 'warn' },
  });
  await once(child.stdout, 'data');
  return {
    heapBytes: async (): Promise<number> => {
      child.stdin.write('heap\n');
      const [answer] = await once(child.stdout, 'data');
      return Number(String(answer));
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Bare client and actor in turn, so that a slow minute of the machine hits both; the medians of the ratios are quoted. */
export async function turns(bus: Bus, rounds = 3) {
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const perSecond = await throughput(bus, 15_000, `t${round}`);
    const plain = await bare(bus, 8_000, `t${round}`);
    const milliseconds = await timeHops(bus, 2_000, `l${round}`);
    results.push({ plain, perSecond, milliseconds });
  }
  const hops = results.map(({ milliseconds, plain }) => ({
    hop: spread(milliseconds),
    bare: spread(plain.milliseconds),
  }));
  return {
    turnsPerSecond: round(median(results.map(({ perSecond }) => perSecond))),
    barePerSecond: round(median(results.map(({ plain }) => plain.perSecond))),
    turnsToBare: round(median(results.map(({ perSecond, plain }) => perSecond / plain.perSecond))),
    hopMilliseconds: hops.map(({ hop }) => hop),
    bareMilliseconds: hops.map(({ bare }) => bare),
    bareToHopP50: round(median(hops.map(({ hop, bare }) => bare.p50 / hop.p50))),
    bareToHopP99: round(median(hops.map(({ hop, bare }) => bare.p99 / hop.p99))),
  };
}

/** Heap of one actor process after so many instances have each had a message and gone quiet, bytes. */
export async function quietKeys(bus: Bus) {
  await using actor = await startActor(bus);
  const heapAfter = async (from: number, to: number): Promise<number> => {
    await rate(to - from, lanes, (n) => tell(bus, `quiet-${from + n}`, 1));
    await until(
      'the last is kept',
      async () => (await bus.load(stateOf('agent'), `r1.quiet-${to - 1}`)) !== undefined,
      60,
    );
    return await actor.heapBytes();
  };
  const few = await heapAfter(0, 1_000);
  const many = await heapAfter(1_000, 11_000);
  return { heapBytesAt1000Keys: few, heapBytesAt11000Keys: many, growth: round(many / few) };
}
