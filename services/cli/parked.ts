import type { Command } from 'commander';
import type { Bus } from '#kit/bus';
import { dropParked, listParked, type Parked, retryParked } from '#kit/park';
import { isService, type Service, services } from '#protocol/roles';
import { withStack } from './open.ts';
import { examples } from './options.ts';
import { say, sayJson, UsedWrongly } from './say.ts';

const listing = [['uplift parked ls agent', 'what the agent could not handle, and why']] as const;
const settling = {
  retry: [['uplift parked retry agent/12', 'after the cause is fixed, send it again']],
  drop: [['uplift parked drop --all', 'delete all of them']],
} as const;

/** `uplift parked …`: what could not be handled, and what to do with it. */
export function addParked(program: Command): void {
  const command = program
    .command('parked')
    .description('messages that could not be handled, each with its reason')
    .addHelpText('after', examples(...listing, ...settling.retry, ...settling.drop));
  command
    .command('ls')
    .description('what is parked, oldest first')
    .argument('[service]', 'only what this service parked')
    .option('--json', 'for programs', false)
    .addHelpText('after', examples(...listing))
    .action((only: string | undefined, { json }: { json: boolean }) =>
      withStack('operator', (bus) => list(bus, { only, json })),
    );
  for (const how of ['retry', 'drop'] as const)
    command
      .command(how)
      .description(how === 'retry' ? 'send parked messages again to where they were going' : 'delete parked messages')
      .argument('[names...]', 'as "parked ls" names them: agent/12')
      .option('--all', 'everything that is parked', false)
      .addHelpText('after', examples(...settling[how]))
      .action((names: string[], { all }: { all: boolean }) =>
        withStack('operator', (bus) => settle(bus, how, { names, every: all })),
      );
}

async function all(bus: Bus, only?: string): Promise<Parked[]> {
  if (only !== undefined && !isService(only))
    throw new UsedWrongly(`"${only}" is not a service; they are ${services.join(', ')}`);
  const found: Parked[] = [];
  const asked: readonly Service[] = only === undefined ? services : [only as Service];
  for (const service of asked) for await (const one of listParked(bus, service)) found.push(one);
  return found;
}

/** `agent/12`: the twelfth message that the agent ever parked. */
const nameOf = ({ service, seq }: Parked): string => `${service}/${seq}`;

async function list(bus: Bus, { only, json }: { only: string | undefined; json: boolean }): Promise<void> {
  const found = await all(bus, only);
  if (json)
    return sayJson(
      found.map((one) => ({
        parked: nameOf(one),
        at: new Date(one.at).toISOString(),
        subject: one.was,
        failure: one.failure,
        bytes: one.data.length,
        message: one.cause,
      })),
    );
  if (found.length === 0) return say('nothing is parked');
  for (const one of found) {
    say(`${nameOf(one)}  ${new Date(one.at).toISOString()}  ${one.was}`);
    say(`    ${one.failure?.code}: ${one.failure?.detail}`);
  }
  say(
    `\nonce the cause is fixed: npx uplift parked retry ${nameOf(found[0] as Parked)}   (or: parked drop …, or --all)`,
  );
}

async function settle(bus: Bus, how: 'retry' | 'drop', { names, every }: { names: string[]; every: boolean }) {
  if (!every && names.length === 0)
    throw new UsedWrongly(`parked ${how}: name what to ${how} (agent/12), or give --all`);
  const found = await all(bus);
  const missing = names.filter((name) => !found.some((one) => nameOf(one) === name));
  if (missing.length > 0)
    throw new UsedWrongly(`not parked: ${missing.join(', ')}; "npx uplift parked ls" shows what is`);
  for (const one of found.filter((one) => every || names.includes(nameOf(one)))) {
    await (how === 'retry' ? retryParked(bus, one) : dropParked(bus, one));
    say(`${nameOf(one)} ${how === 'retry' ? `sent again to ${one.was}` : 'dropped'}`);
  }
}
