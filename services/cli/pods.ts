import type { Command } from 'commander';
import type { z } from 'zod';
import type { Bus } from '#kit/bus';
import { now } from '#kit/clock';
import { tell } from '#kit/tell';
import { getValue } from '#kit/values';
import { type PodScale, podDrain, podScale, pods, podsScale } from '#protocol/pod';
import { placesOf } from '#protocol/roles';
import { withStack } from './open.ts';
import { examples } from './options.ts';
import { dim, say, sayJson, table, UsedWrongly } from './say.ts';

const places = placesOf('pod');
export type PodsShown = z.infer<typeof pods.body>;

/** `4`: exactly four. `1..4`: as many as jobs need, between these. Throws `UsedWrongly` if there are no places for so many. */
export function scaleOf(text: string, idle?: string): PodScale {
  const [, floor, ceiling = floor] = /^(\d{1,4})(?:\.\.(\d{1,4}))?$/.exec(text) ?? [];
  if (floor === undefined)
    throw new UsedWrongly(
      `"${text}" pods: give a number (4), or a least and a most (1..4), from 0 to ${places.length}`,
    );
  const idleSeconds = idle === undefined ? {} : { idleSeconds: secondsOf(idle) };
  const scale = podScale.parse({ floor: Number(floor), ceiling: Number(ceiling), ...idleSeconds });
  if (scale.ceiling > places.length)
    throw new UsedWrongly(`"${text}" pods: there are places for ${places.length}, so that is the most you can ask for`);
  if (scale.floor > scale.ceiling)
    throw new UsedWrongly(`"${text}" pods: the least comes first: ${scale.ceiling}..${scale.floor}`);
  return scale;
}

function secondsOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsedWrongly(`--idle ${text}: a whole number of seconds is needed, such as 600`);
}

/** As it is typed: `2`, or `1..4`. */
export const scaleText = ({ floor, ceiling }: PodScale): string =>
  floor === ceiling ? String(floor) : `${floor}..${ceiling}`;

/** How many are wanted, and why: `2 wanted: 1 leased, 3 queued, at most 2`. */
export function whyOf({ wanted, scale: { floor, ceiling, idleSeconds }, queued, pods }: PodsShown): string {
  const leased = pods.filter(({ phase }) => phase === 'leased').length;
  const needed = leased + queued;
  const jobs = `${wanted} wanted: ${leased} leased, ${queued} queued`;
  if (floor === ceiling) return `${jobs}, always ${floor}`;
  if (needed >= ceiling) return `${jobs}, at most ${ceiling}`;
  if (wanted > Math.max(floor, needed)) return `${jobs}, others stay until idle for ${idleSeconds} s`;
  return needed > floor ? `${jobs}, between ${floor} and ${ceiling}` : `${jobs}, at least ${floor}`;
}

const listing = [['uplift pods ls', 'which pods there are, and what each does']] as const;
const scaling = [
  ['uplift pods scale 4', 'have four; one that is too many ends when its job has ended'],
  ['uplift pods scale 1..4', 'as many as jobs need: more at once, fewer when they have been idle'],
] as const;
const draining = [['uplift pods drain p2', 'end this one when its job has ended']] as const;

export function addPodsTo(program: Command): void {
  const command = program
    .command('pods')
    .description('the workers that train jobs')
    .addHelpText('after', examples(...listing, ...scaling, ...draining));
  command
    .command('ls')
    .description('which pods there are, and what each does')
    .option('--json', 'for programs', false)
    .addHelpText('after', examples(...listing))
    .action(({ json }: { json: boolean }) => withStack('viewer', (bus) => list(bus, json)));
  command
    .command('scale')
    .description('how many pods to have: a number, or as many as jobs need between two')
    .addHelpText('after', examples(...scaling))
    .argument('<N | MIN..MAX>', `0 to ${places.length}`)
    .option('--idle <SECONDS>', 'how long a pod above MIN stays without a job (default: 60)')
    .action((text: string, { idle }: { idle?: string }) => {
      const scale = scaleOf(text, idle);
      return withStack('operator', (bus) => scaleTo(bus, scale));
    });
  command
    .command('drain')
    .description('end a pod when its job has ended; another one takes its place if it is needed')
    .addHelpText('after', examples(...draining))
    .argument('<ID>', 'as "pods ls" names it: p2')
    .action((pod: string) => withStack('operator', (bus) => drain(bus, pod)));
}

const read = (bus: Bus) => getValue(bus, pods, 'pool.main');

async function list(bus: Bus, json: boolean): Promise<void> {
  const there = await read(bus);
  if (json) return sayJson(there ? { ...there, why: whyOf(there) } : null);
  if (!there) return say('the pool has reported nothing yet: "npx uplift ps" shows whether it is running');
  const rows = there.pods.map(({ pod, generation, phase, since, job, jobs, podSeconds, usefulSeconds }) => [
    ...[pod, generation, phase, `${Math.max(0, Math.round((now() - since) / 1000))} s`, job ?? '–', jobs],
    `${Math.round((100 * usefulSeconds) / Math.max(podSeconds, 1))} %`,
  ]);
  const header = ['pod', 'process', 'phase', 'since', 'job', 'jobs', 'useful'];
  if (rows.length > 0) for (const line of table([header, ...rows])) say(line);
  for (const { pod, failure } of there.pods) if (failure) say(`${pod}: ${failure.code}: ${failure.detail}`);
  say(dim(whyOf(there)));
}

async function scaleTo(bus: Bus, scale: PodScale): Promise<void> {
  await tell(bus, podsScale, scale);
  say(`${scaleText(scale)} pods are wanted; "npx uplift pods ls" shows them come and go`);
}

async function drain(bus: Bus, pod: string): Promise<void> {
  const there = (await read(bus))?.pods.map(({ pod }) => pod) ?? [];
  if (!there.includes(pod))
    throw new UsedWrongly(
      `there is no pod "${pod}"; ${there.length > 0 ? `there are ${there.join(', ')}` : 'there are none'}`,
    );
  await tell(bus, podDrain, { pod });
  say(`${pod} ends when its job has ended`);
}
