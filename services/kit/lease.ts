import { randomUUID } from 'node:crypto';
import type { Service } from '#protocol/roles';
import { leaseSeconds, leases, stateOf } from '#protocol/streams';
import { type Bus, Conflict } from './bus.ts';
import { monotonic, sleep } from './clock.ts';
import { log } from './log.ts';
import { leader } from './metrics.ts';
import type { Fence } from './records.ts';
import { pack } from './wire.ts';

/**
 * One process of a single-active actor works; the others stand by.
 *
 * L1 The lease is a key that the server deletes if it is not renewed. Its holder renews it until its work has ended.
 * L2 A new holder's first write goes into the bucket of the actor's records, and each later write must follow the
 *    holder's own last one. So whatever an earlier holder still tries to write, to any record, is refused. The revision
 *    of that first write is the epoch: it only rises, even if leases are lost.
 * L3 A holder stops, by its own clock, a second before the server deletes the lease, even if it cannot reach the
 *    server.
 */
export interface Lead {
  readonly fence: Fence;
  /** Aborted when the lease is lost (also by the work, if it notices first). Nothing may be begun after that. */
  readonly lost: AbortController;
}

const renewMs = 1_000;
const marginMs = 1_000;

/**
 * Runs `work` whenever this process holds the lease, until `signal` is aborted. `work` must return soon after `lost`
 * is.
 */
export async function lead(
  bus: Bus,
  service: Service,
  { work, signal }: { work: (lead: Lead) => Promise<void>; signal: AbortSignal },
): Promise<void> {
  const lease = leaseOf(bus, service);
  while (!signal.aborted) {
    const revision = await acquire(lease);
    if (revision === undefined) await sleep(renewMs / 2, signal).catch(() => undefined);
    else await hold(lease, revision, work);
  }
}

interface Lease {
  readonly bus: Bus;
  readonly service: Service;
  /** Makes the bytes unique, so that a write is recognised even if its answer was lost. */
  readonly holder: string;
}

const leaseOf = (bus: Bus, service: Service): Lease => ({ bus, service, holder: randomUUID() });

const keyOf = (service: Service): string => `${service}.holder`;

async function acquire(lease: Lease): Promise<number | undefined> {
  const there = await lease.bus.load(leases, keyOf(lease.service));
  if (there && there.data.length > 0) return undefined;
  return await write(lease, there?.revision ?? 0);
}

/** Undefined: another process was faster. */
async function write({ bus, service, holder }: Lease, revision: number): Promise<number | undefined> {
  const data = pack({ holder, after: revision });
  return await bus.save(leases, keyOf(service), { data, expected: { key: revision } }).catch((error) => {
    if (error instanceof Conflict) return undefined;
    throw error;
  });
}

async function hold(lease: Lease, revision: number, work: (lead: Lead) => Promise<void>): Promise<void> {
  const { service } = lease;
  const lost = new AbortController();
  const held = { revision, until: monotonic() + leaseSeconds * 1000 - marginMs };
  const renewing = renew(lease, held, lost);
  try {
    const epoch = await fenceOff(lease);
    log.info({ service, epoch }, 'this process is the active one');
    leader.set({ actor: service }, epoch);
    await work({ fence: { epoch, last: epoch }, lost });
    if (lost.signal.aborted) log.warn({ service, epoch }, 'the lease was lost: another process may lead');
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    log.warn({ service }, 'a write was refused: another process leads');
  } finally {
    leader.remove({ actor: service });
    lost.abort();
    await renewing;
    await release(lease, held.revision);
  }
}

/** L2. */
async function fenceOff({ bus, service, holder }: Lease): Promise<number> {
  const key = 'all.fence';
  const there = await bus.load(stateOf(service), key);
  const after = there?.revision ?? 0;
  return await bus.save(stateOf(service), key, { data: pack({ holder, after }), expected: { key: after } });
}

async function renew(lease: Lease, held: { revision: number; until: number }, lost: AbortController): Promise<void> {
  const watch = setInterval(() => monotonic() > held.until && lost.abort(), 50);
  try {
    while (!lost.signal.aborted) {
      const asked = monotonic();
      const revision = await write(lease, held.revision);
      if (revision === undefined) break;
      held.revision = revision;
      held.until = asked + leaseSeconds * 1000 - marginMs;
      await sleep(renewMs, lost.signal).catch(() => undefined);
    }
  } catch (error) {
    log.error({ service: lease.service, error: String(error) }, 'the lease cannot be renewed');
  } finally {
    clearInterval(watch);
    lost.abort();
  }
}

/** An empty lease is free: the next holder need not wait for the server to delete it. */
async function release({ bus, service }: Lease, revision: number): Promise<void> {
  if (bus.nc.isClosed()) return;
  const data = new Uint8Array();
  await bus.save(leases, keyOf(service), { data, expected: { key: revision } }).catch(() => undefined);
}
