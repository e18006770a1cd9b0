import test from 'ava';
import type { Bus } from '#kit/bus';
import { listParked } from '#kit/park';
import { people, services } from '#protocol/roles';
import { grantsOf, localSubject, roles } from '../../deploy/nats/roles.ts';
import { work } from '../support/duties.ts';
import { both, strictHouse, until } from '../support/house.ts';
import { Judge, lasting } from '../support/judge.ts';

/** What the server refused this connection. */
function refusals(bus: Bus): string[] {
  const refused: string[] = [];
  void (async () => {
    for await (const { type, data } of bus.nc.status()) if (type === 'error') refused.push(`${bus.role}: ${data}`);
  })();
  return refused;
}

for (const which of both) {
  test(`${which} server: each role does a day's work and is refused nothing`, async (t) => {
    const house = await strictHouse(t, which);
    const judge = await Judge.sit(t, house);
    await judge.plant(lasting);
    for (const day of ['monday', 'tuesday'])
      for (const role of roles) {
        const bus = await house.bus(role);
        const refused = refusals(bus);
        await work(bus, role, { mark: judge.mark, name: day });
        await bus.nc.flush();
        t.deepEqual(refused, [], `${role} on ${day}`);
      }
  });

  test(`${which} server: the operator lists, drops and sends again what every service has parked`, async (t) => {
    const house = await strictHouse(t, which);
    const judge = await Judge.sit(t, house);
    await judge.plant(lasting);
    const operator = await house.bus('operator');
    await work(operator, 'operator', { mark: judge.mark, name: 'monday' });
    for (const service of services) {
      for await (const one of listParked(operator, service)) t.fail(`${service} still has ${one.subject}`);
    }
    const { messages } = await judge.look();
    const subjects = [...messages.values()].map(({ subject }) => subject);
    for (const service of services) t.true(subjects.includes(`msg.${service}.canary.k.operator.said`), service);
  });

  test(`${which} server: people see every replica of every service that has announced itself`, async (t) => {
    const house = await strictHouse(t, which);
    const refused: string[][] = [];
    for (const service of services)
      for (const http of [1, 2]) {
        const bus = await house.bus(service);
        refused.push(refusals(bus));
        await bus.announce({ http });
      }
    for (const person of people) {
      const { nc } = await house.bus(person);
      for (const service of services)
        for (const verb of ['PING', 'INFO', 'STATS']) {
          const answers: string[] = [];
          const inbox = `_INBOX_${person}.${service}.${verb}`;
          nc.subscribe(inbox, { callback: (_, message) => answers.push(message.string()) });
          nc.publish(`srv.${service}.${verb}`, '', { reply: inbox });
          await until(`two of ${service} answer ${person}'s ${verb}`, () => answers.length === 2);
          t.deepEqual(answers.map((answer) => JSON.parse(answer).metadata.http).sort(), ['1', '2']);
        }
    }
    t.deepEqual(refused.flat(), []);
  });
}

const rows = roles.flatMap((role) => grantsOf(role).map((grant) => ({ role, ...grant })));

test('a row holds direct reads, its own pulls, and what it may publish; the operator drops what is parked', (t) => {
  const api = /^\$JS\.(API\.DIRECT\.GET|API\.CONSUMER\.INFO|API\.CONSUMER\.MSG\.NEXT|ACK)\.\w/;
  const publishes = /^(msg|act|later|parked|blob|\$KV)\.\w/;
  for (const { role, subject } of rows) {
    const drops = role === 'operator' && subject.startsWith('$JS.API.STREAM.MSG.DELETE.parked_');
    t.true(drops || api.test(subject) || publishes.test(subject), `${role}: ${subject}`);
  }
});

test('what stores has a wildcard; what is renamed has no "*"', (t) => {
  for (const { role, ...grant } of rows) {
    const { subject } = grant;
    if (localSubject(grant) !== subject) t.false(subject.includes('*'), `${role}: ${subject}`);
    else t.regex(subject, /[*>]/, role);
  }
});

test('nothing of EVAL is granted but to the evaluator, to who writes to it, to the operator for what is parked, to the viewer for headers', (t) => {
  for (const { role, account, subject } of rows) {
    if (account === 'core' || role === 'evaluator') continue;
    const writes = /^(msg|act)\.evaluator\./.test(subject);
    const parked = /^\$JS\.API\.(DIRECT\.GET|STREAM\.MSG\.DELETE)\.parked_evaluator$/.test(subject);
    const traced = subject === '$JS.API.DIRECT.GET.trace_evaluator';
    t.true(writes || (parked && role === 'operator') || (traced && role === 'viewer'), `${role}: ${subject}`);
  }
});
