// That the checks of roles-read and roles-write can fail: a mistake in the configuration, and they must find it.
import test from 'ava';
import type { Account, Role } from '#protocol/roles';
import { changes, overhears, reads } from '../support/break-in.ts';
import { either, strictHouse } from '../support/house.ts';
import { Judge } from '../support/judge.ts';

interface Slip {
  readonly role: Role;
  readonly account: Account;
  readonly subject: string;
}

/** Each gives a role one subject that is not its own. */
const toRead: readonly Slip[] = [
  { role: 'agent', account: 'core', subject: '$JS.API.STREAM.MSG.GET.KV_state_conductor' },
  { role: 'pod', account: 'eval', subject: '$JS.API.CONSUMER.CREATE.mail_evaluator' },
  { role: 'conductor', account: 'eval', subject: '$JS.API.CONSUMER.MSG.NEXT.later_evaluator.timers' },
  { role: 'viewer', account: 'core', subject: '$JS.API.DIRECT.GET.KV_state_pod.$KV.state_pod.all.secret' },
];
const toWrite: readonly Slip[] = [
  { role: 'agent', account: 'core', subject: '$KV.state_conductor.*.*' },
  { role: 'pool', account: 'core', subject: 'msg.conductor.*.*.learner.*' },
  { role: 'pod', account: 'eval', subject: '$JS.API.STREAM.PURGE.parked_evaluator' },
  { role: 'conductor', account: 'core', subject: '$JS.ACK.mail_pod.*.>' },
];

const put = (config: string, after: RegExp, line: string): string =>
  config.replace(after, (found) => `${found}\n      ${line}`);

function opened(config: string, { role, account, subject }: Slip): string {
  const [mine, theirs] = [role.toUpperCase(), account.toUpperCase()];
  const local = subject.replace('$JS.API', `${account}.API`);
  const renamed = local === subject ? '' : `, to: "${local}"`;
  const inside = (name: string, list: string): RegExp =>
    new RegExp(`\\n  ${name} \\{[\\s\\S]*?${list}: (\\{ allow: )?\\[`);
  const exported = put(
    config,
    inside(theirs, 'exports'),
    `{ service: "${subject}", response_type: "stream", accounts: [${mine}] }`,
  );
  const allowed = put(exported, inside(mine, 'publish'), `"${local}"`);
  const service = `{ account: ${theirs}, subject: "${subject}" }`;
  return put(allowed, inside(mine, 'imports'), `{ service: ${service}${renamed} }`);
}

/** What a simpler configuration would be: the agent inside CORE, held by the same row of permissions alone. */
function together(config: string): string {
  const agent = /\[(\{ user: agent, [\s\S]*?\} \})\]/.exec(config)?.[1] ?? '';
  const inCore = agent.replaceAll('"core.API.', '"$$JS.API.').replace('"_INBOX_agent.>"', '">"');
  return config.replace(`[${agent}]`, () => '[]').replace(/\{ user: core, [^}]*\}/, (core) => `${core}, ${inCore}`);
}

for (const which of either('oldest'))
  test.serial(`${which} server: one subject too many to read is found`, async (t) => {
    t.timeout(120_000);
    const house = await strictHouse(t, which, (config) => toRead.reduce(opened, config));
    const judge = await Judge.sit(t, house);
    for (const { role, subject } of toRead) {
      const found = await reads({ t, house, judge }, role);
      t.not(found.length, 0, subject);
    }
  });

for (const which of either('current'))
  test.serial(`${which} server: one subject too many to write is found`, async (t) => {
    t.timeout(120_000);
    const house = await strictHouse(t, which, (config) => toWrite.reduce(opened, config));
    const judge = await Judge.sit(t, house);
    for (const { role, subject } of toWrite) {
      const found = await changes({ t, house, judge }, role);
      t.not(found.length, 0, subject);
    }
  });

for (const which of either('oldest'))
  test.serial(
    `${which} server: a role inside CORE hears all, and makes the server write for it where it may not`,
    async (t) => {
      t.timeout(120_000);
      const house = await strictHouse(t, which, together);
      const scene = { t, house, judge: await Judge.sit(t, house) };
      t.true((await overhears(scene, 'agent')).some((text) => text.startsWith('$KV.state_conductor.')));
      const found = await changes(scene, 'agent');
      const begun = (pattern: RegExp): boolean => found.some((text) => pattern.test(text));
      t.true(begun(/^new: parked_conductor .*\{"stream":/), 'by what it stored of its own');
      t.true(begun(/^new: KV_state_conductor .*\|msg\.agent\./), 'by what it pulled');
      t.true(begun(/^new: parked_conductor .*\|\$KV\.state_agent\./), 'by what it read');
      t.true(begun(/^gone: mail_conductor/), 'by an order to the server');
    },
  );
