import test from 'ava';
import { connect } from 'nats';
import type { Bus } from '#kit/bus';
import { type Ids, idsFrom, loadIds } from '#kit/ids';
import { listParked } from '#kit/park';
import { type Service, services } from '#protocol/roles';
import { mailOf, stateOf } from '#protocol/streams';
import { roles } from '../../deploy/nats/roles.ts';
import { both, strictHouse } from '../support/house.ts';
import { intrude, type Shot } from '../support/intruder.ts';
import { Judge } from '../support/judge.ts';
import { readingShots } from '../support/shots.ts';

const secretOf = (judge: Judge, service: Service): Promise<Uint8Array> =>
  judge.bytesAt(stateOf(service), `$KV.state_${service}.all.secret`);

/** Found as it is, or as JSON carries it. */
function holds(heard: readonly string[], secret: Uint8Array): boolean {
  const bytes = Buffer.from(secret);
  const looks = [bytes.toString('latin1'), bytes.toString('base64')];
  return heard.some((text) => looks.some((look) => text.includes(look)));
}

/** Where the learner's next word to the conductor goes, and how its id comes about: no secret but the key. */
const home = 'msg.conductor.probe.p1.learner.probe-home';
const idOf = (ids: Ids, cause: string): string => ids(cause, 'learner.probe.main', 0);

const say = (bus: Bus, id: string): Promise<void> =>
  bus.publish({ subject: home, id, cause: null, schema: 1, due: null, failure: null, data: Buffer.from('true') });

/** The pod, too, may write to the conductor: under another subject, and with any id. */
const failed = 'msg.conductor.probe.p1.pod.probe-failed';
const guess = (id: string): Shot => ({ subject: failed, body: 'guessed', headers: { 'Nats-Msg-Id': id } });

/** What the server writes behind the headers of a message's sender. */
const place = {
  'Nats-Subject': home,
  'Nats-Sequence': '999999',
  'Nats-Time-Stamp': '2000-01-01T00:00:00Z',
};

for (const which of both) {
  test(`${which} server: nobody is let in as a role without its password`, async (t) => {
    const { server, passwords } = await strictHouse(t, which);
    const tries = [
      {},
      { user: 'sys', pass: 'sys' },
      { token: passwords.core },
      ...[...roles, 'core', 'eval'].flatMap((user) => [
        { user },
        { user, pass: '' },
        { user, pass: `${passwords.viewer}x` },
      ]),
      ...roles.map((role) => ({ user: 'core', pass: passwords[role] })),
      ...roles.map((role) => ({ user: role === 'evaluator' ? 'eval' : 'evaluator', pass: passwords[role] })),
    ];
    for (const one of tries)
      await t.throwsAsync(connect({ servers: server.url, reconnect: false, ...one }), { message: /Authorization/i });
  });

  test(`${which} server: no role reads the secret that another makes its ids with`, async (t) => {
    const house = await strictHouse(t, which);
    const judge = await Judge.sit(t, house);
    for (const service of services) await loadIds(await house.bus(service), stateOf(service));
    for (const role of ['agent', 'pod', 'viewer'] as const) {
      const heard = await (await intrude(t, house, role)).volley(readingShots(role));
      for (const service of services)
        t.is(holds(heard, await secretOf(judge, service)), service === role, `${role} has the secret of ${service}`);
    }
  });

  test(`${which} server: who knows all but the secret cannot have another's message dropped as sent before`, async (t) => {
    const house = await strictHouse(t, which);
    const judge = await Judge.sit(t, house);
    const learner = await house.bus('learner');
    const ids = await loadIds(learner, stateOf('learner'));
    await loadIds(await house.bus('pod'), stateOf('pod'));
    const pod = await intrude(t, house, 'pod');
    const keys = [new Uint8Array(), new Uint8Array(32), await secretOf(judge, 'pod')];
    await pod.volley([guess('c1'), ...keys.map((key) => guess(idOf(idsFrom(key), 'c1')))]);
    await say(learner, idOf(ids, 'c1'));
    t.is(Buffer.from(await judge.bytesAt(mailOf('conductor'), home)).toString(), 'true');

    // with the secret it could: so it is the secret that protects
    await judge.clear([mailOf('conductor')]);
    await pod.volley([guess(idOf(idsFrom(await secretOf(judge, 'learner')), 'c2'))]);
    await say(learner, idOf(ids, 'c2'));
    await t.throwsAsync(judge.bytesAt(mailOf('conductor'), home));
  });

  test(`${which} server: a sender cannot say in its headers that another sent it, or when, or where`, async (t) => {
    const house = await strictHouse(t, which);
    const pod = await intrude(t, house, 'pod');
    await pod.volley([{ subject: failed, body: 'x', headers: place }]);
    const found = await (await house.bus('conductor')).next(mailOf('conductor'), 'msg.conductor.>', 1);
    t.is(found?.subject, failed);
    t.is(found?.seq, 1);
    t.true(Number(found?.at) > Date.UTC(2001));
  });

  test(`${which} server: a service cannot have the operator say in another's name what it has parked`, async (t) => {
    const house = await strictHouse(t, which);
    const pod = await intrude(t, house, 'pod');
    const headers = { ...place, 'Nats-Subject': `parked.conductor.${home.replace('.conductor', '')}` };
    await pod.volley([{ subject: 'parked.pod.msg.probe.p1.pool.x', body: 'x', headers }]);
    const seen = [];
    for await (const { was } of listParked(await house.bus('operator'), 'pod')) seen.push(was);
    t.deepEqual(seen, ['msg.pod.probe.p1.pool.x']);
  });
}
