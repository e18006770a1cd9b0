import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Service } from '#protocol/roles';
import { actsOf } from '#protocol/streams';
import type { Bus } from './bus.ts';
import { outgoing } from './records.ts';
import { type Outgoing, pack, unpack } from './wire.ts';

const claim = z.strictObject({
  /** How many times the act has been begun. */
  attempts: z.number(),
  epoch: z.number(),
  outcome: z.array(outgoing).nullable(),
  /** Makes the bytes unique, so that a claim is recognised even if the answer to its write was lost. */
  nonce: z.string(),
});

/** The claim on an act at a revision; a later revision means that another process has taken it over. */
export interface Claim {
  readonly attempts: number;
  readonly epoch: number;
  readonly outcome: readonly Outgoing[] | null;
  readonly revision: number;
}

const keyOf = (id: string): string => `act.${id}`;

export async function loadClaim(bus: Bus, service: Service, id: string): Promise<Claim> {
  const found = await bus.load(actsOf(service), keyOf(id));
  if (!found) return { attempts: 0, epoch: 0, outcome: null, revision: 0 };
  const { attempts, epoch, outcome } = claim.parse(unpack(found.data));
  return { attempts, epoch, outcome, revision: found.revision };
}

/** Throws `Conflict` if the act was taken over. */
export async function saveClaim(
  bus: Bus,
  service: Service,
  { id, claim: next }: { id: string; claim: Claim },
): Promise<Claim> {
  const { attempts, epoch, outcome } = next;
  const data = pack({ attempts, epoch, outcome, nonce: randomUUID() });
  const revision = await bus.save(actsOf(service), keyOf(id), { data, expected: { key: next.revision } });
  return { attempts, epoch, outcome, revision };
}
