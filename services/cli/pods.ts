import type { Command } from 'commander';
import type { Bus } from '#kit/bus';
import { now } from '#kit/clock';
import { tell } from '#kit/tell';
import { getValue } from '#kit/values';
import { podDrain, pods, podsScale } from '#protocol/pod';
import { placesOf } from '#protocol/roles';
import { withStack } from './open.ts';
import { dim, say, sayJson, table, UsedWrongly } from './say.ts';

const places = placesOf('pod');

/** How many pods were asked for; throws where there is no place for them. */
export function countOf(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= places.length) return Number(text);
  throw new UsedWrongly(
    `${text} pods: a number from 0 to ${places.length} is needed, which is how many places there are`,
  );
}

export function addPodsTo(program: Command): void {
  const command = program
    .command('pods')
    .description('the workers that train jobs')
    .addHelpText(
      'after',
      `
Examples:
  uplift pods ls            which pods there are, and what each does
  uplift pods scale 4       have four; what is too many ends when its job has ended
  uplift pods drain p2      end this one when its job has ended; another one takes its place`,
    );
  command
    .command('ls')
    .description('which pods there are, and what each does')
    .option('--json', 'for programs', false)
    .action(({ json }: { json: boolean }) => withStack('viewer', (bus) => list(bus, json)));
  command
    .command('scale')
    .description('have so many pods')
    .argument('<N>', `0 to ${places.length}`)
    .action((text: string) => withStack('operator', (bus) => scale(bus, countOf(text))));
  command
    .command('drain')
    .description('end a pod when its job has ended; another one takes its place while as many are wanted')
    .argument('<ID>', 'as "pods ls" names it: p2')
    .action((pod: string) => withStack('operator', (bus) => drain(bus, pod)));
}

const read = (bus: Bus) => getValue(bus, pods, 'pool.main');

async function list(bus: Bus, json: boolean): Promise<void> {
  const there = await read(bus);
  if (json) return sayJson(there ?? null);
  if (!there) return say('the pool has not said anything yet: is it running? "npx uplift ps" shows who is');
  const rows = there.pods.map(({ pod, generation, phase, since, job, jobs, podSeconds, usefulSeconds }) => [
    ...[pod, generation, phase, `${Math.max(0, Math.round((now() - since) / 1000))} s`, job ?? '–', jobs],
    `${Math.round((100 * usefulSeconds) / Math.max(podSeconds, 1))} %`,
  ]);
  const header = ['pod', 'process', 'phase', 'since', 'job', 'jobs', 'useful'];
  if (rows.length > 0) for (const line of table([header, ...rows])) say(line);
  for (const { pod, failure } of there.pods) if (failure) say(`${pod}: ${failure.code}: ${failure.detail}`);
  say(dim(`${there.wanted} wanted, ${there.queued} jobs waiting`));
}

async function scale(bus: Bus, count: number): Promise<void> {
  await tell(bus, podsScale, { count });
  say(`${count} pods are wanted; "npx uplift pods ls" shows them come and go`);
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
