import { z } from 'zod';
import { type Service, services } from '#protocol/roles';
import type { Bus } from './bus.ts';

/** A process of a service, as it answers INFO. */
const info = z.looseObject({
  id: z.string(),
  name: z.string(),
  version: z.string(),
  metadata: z.looseObject({ pid: z.string(), http: z.string().optional() }),
});
export type Present = z.infer<typeof info>;

const waitMs = 400;

/** Every process of every service that answers within 0.4 s. `flat`: the server does not have our accounts. */
export async function whoIsThere(bus: Bus, flat: boolean): Promise<Present[]> {
  const asked = await Promise.all(
    services.map((service) => ask(bus, flat ? `$SRV.INFO.${service}` : subjectOf(service))),
  );
  return asked.flat().sort((a, b) => services.indexOf(a.name as Service) - services.indexOf(b.name as Service));
}

const subjectOf = (service: Service): string => `srv.${service}.INFO`;

async function ask(bus: Bus, subject: string): Promise<Present[]> {
  const present: Present[] = [];
  try {
    for await (const answer of await bus.nc.requestMany(subject, '', { maxWait: waitMs })) {
      const parsed = info.safeParse(answer.json());
      if (parsed.success) present.push(parsed.data);
    }
  } catch {
    // nobody answers: there is no process
  }
  return present;
}
