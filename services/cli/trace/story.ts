import { z } from 'zod';
import type { Bus } from '#kit/bus';
import { eachSaid, placeAt, type Said as Stored } from '#kit/said';
import { unpack } from '#kit/wire';
import type { Message } from '#protocol/message';
import { type Service, services } from '#protocol/roles';
import { route } from '#protocol/route';

/** A message of an episode, without its body. */
export type Said = Omit<Stored, 'data' | 'seq'>;

const outsideOf = ({ data: _, seq: __, ...said }: Stored): Said => said;

/** The runs that have an episode of this name, latest last. */
export async function runsWith(bus: Bus, episode: string): Promise<string[]> {
  const runs: string[] = [];
  for await (const { address } of eachSaid(bus, 'agent', { key: episode, name: 'episode-start' }))
    runs.push(address.split('.')[0] ?? '');
  return [...new Set(runs)];
}

/** Messages to other instances come at most this long after the last one to the episode's own instances. */
const afterMs = 5_000;

/** Every message of an episode, in the order in which they were stored. */
export async function storyOf(bus: Bus, { run, episode }: { run: string; episode: string }): Promise<Said[]> {
  const own: Said[] = [];
  for (const service of services)
    for await (const one of eachSaid(bus, service, { run, key: episode })) own.push(outsideOf(one));
  const times = own.filter(({ name }) => !isTimer(name)).map(({ at }) => at);
  const window = { begin: Math.min(...times), end: Math.max(...times) + afterMs };
  const others = times.length === 0 ? [] : await toOthers(bus, { run, episode, ...window });
  return [...own, ...others].sort((a, b) => a.at - b.at);
}

/** A timer cannot be cancelled: it comes long after the end, and changes nothing. */
const isTimer = (name: string): boolean => name === 'episode-overdue';

interface Part {
  readonly run: string;
  readonly episode: string;
  readonly begin: number;
  readonly end: number;
}

/** Messages about it to instances that serve more than one episode; their bodies name the episode, or its job. */
async function toOthers(bus: Bus, { run, episode, begin, end }: Part): Promise<Said[]> {
  const found: Said[] = [];
  const jobs = new Set<unknown>();
  for (const { to, name } of namingIt) {
    const from = await placeAt(bus, to, begin);
    for await (const one of eachSaid(bus, to, { name, from })) {
      if (one.at > end) break;
      const body = Object(unpack(one.data));
      if (body.run !== run || !(body.episode === episode || jobs.has(body.job))) continue;
      if (body.job !== undefined) jobs.add(body.job);
      found.push(outsideOf(one));
    }
  }
  return found;
}

const isNamedBy = ({ body }: Message): boolean =>
  body instanceof z.ZodObject && 'run' in body.shape && ('episode' in body.shape || 'job' in body.shape);

/** In the order of the route, so that the episode of a job is known before a message names only the job. */
const namingIt: readonly { to: Service; name: string }[] = route
  .filter(isNamedBy)
  .flatMap(({ to, name }) =>
    services
      .filter((service) => to[service] !== undefined && !to[service].includes('{episode}'))
      .map((service) => ({ to: service, name })),
  );
