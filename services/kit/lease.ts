import type { Service } from '#protocol/roles';
import { leaseSeconds, leases, stateOf } from '#protocol/streams';
import { type Bus, Conflict } from './bus.ts';
import { monotonic, sleep } from './clock.ts';
import { log } from './log.ts';
import { leader } from './metrics.ts';
import type { Fence } from './records.ts';
import { pack } from './wire.ts';

/**
 * One process of a single-active actor works, the others stand by.
 *
 * L1 The lease is a key that the server forgets when it is not renewed; the revision of its first write is the epoch.
 * L2 The new holder's first write goes into the bucket of the actor's records, and each later write expects to follow
 *    its own last one: so whatever an earlier holder still tries to write, to whichever record, is refused.
 * L3 A holder stops by its own clock a second before the server forgets, whatever it knows of the server.
 */
export interface Lead {
  readonly fence: Fence;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
}

const renewMs = 1_000;
const marginMs = 1_000;

/** Works whenever this process holds the lease, until `signal`. `work` returns soon after its own signal aborts. */
export async function lead(
  bus: Bus,
  service: Service,
  { work, signal }: { work: (lead: Lead) => Promise<void>; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const epoch = await acquire(bus, service);
    if (epoch === undefined) await sleep(renewMs / 2, signal).catch(() => undefined);
    else await hold(bus, service, { epoch, work, signal });
  }
}

async function acquire(bus: Bus, service: Service): Promise<number | undefined> {
  const there = await bus.load(leases, service);
  if (there && there.data.length > 0) return undefined;
  return await write(bus, service, there?.revision ?? 0);
}

/** Undefined: somebody else was faster. */
async function write(bus: Bus, service: Service, revision: number): Promise<number | undefined> {
  const data = pack({ pid: process.pid, after: revision });
  return await bus.save(leases, service, { data, expected: { key: revision } }).catch((error) => {
    if (error instanceof Conflict) return undefined;
    throw error;
  });
}

interface Holding {
  readonly epoch: number;
  readonly work: (lead: Lead) => Promise<void>;
  readonly signal: AbortSignal;
}

async function hold(bus: Bus, service: Service, { epoch, work, signal }: Holding): Promise<void> {
  log.info({ service, epoch }, 'this process is the active one');
  const lost = new AbortController();
  const held = { revision: epoch, until: monotonic() + leaseSeconds * 1000 - marginMs };
  const renewing = renew(bus, service, { held, lost, signal });
  leader.set({ actor: service }, epoch);
  try {
    const last = await fenceOff(bus, service, epoch);
    await work({ fence: { epoch, last }, signal: AbortSignal.any([signal, lost.signal]) });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    log.warn({ service, epoch }, 'a write was refused: another process leads');
  } finally {
    leader.remove({ actor: service });
    lost.abort();
    await renewing;
    await release(bus, service, held.revision);
  }
}

/** L2. */
async function fenceOff(bus: Bus, service: Service, epoch: number): Promise<number> {
  const key = 'all.fence';
  const there = await bus.load(stateOf(service), key);
  return await bus.save(stateOf(service), key, { data: pack({ epoch }), expected: { key: there?.revision ?? 0 } });
}

interface Renewing {
  readonly held: { revision: number; until: number };
  readonly lost: AbortController;
  readonly signal: AbortSignal;
}

async function renew(bus: Bus, service: Service, { held, lost, signal }: Renewing): Promise<void> {
  const over = AbortSignal.any([signal, lost.signal]);
  const watch = setInterval(() => monotonic() > held.until && lost.abort(), 50);
  while (!over.aborted) {
    const asked = monotonic();
    const revision = await write(bus, service, held.revision);
    if (revision === undefined) break;
    held.revision = revision;
    held.until = asked + leaseSeconds * 1000 - marginMs;
    await sleep(renewMs, over).catch(() => undefined);
  }
  clearInterval(watch);
  lost.abort();
}

/** An empty lease is a free one: the next holder need not wait for the server to forget it. */
async function release(bus: Bus, service: Service, revision: number): Promise<void> {
  if (bus.nc.isClosed()) return;
  const data = new Uint8Array();
  await bus.save(leases, service, { data, expected: { key: revision } }).catch(() => undefined);
}
