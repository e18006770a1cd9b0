// The two checks of the accounts: what one role can learn, and what it can do, by every route in shots.ts.
import { isService, people, type Role } from '#protocol/roles';
import { leases } from '#protocol/streams';
import { roles } from '../../deploy/nats/roles.ts';
import { work } from './duties.ts';
import { type Intruder, inboxOf, inRow, intrude, type StrictHouse, type Teardown } from './intruder.ts';
import { harm, type Judge, lasting } from './judge.ts';
import { targets } from './rights.ts';
import {
  eavesdropping,
  endingShots,
  foreignReplies,
  headerShots,
  preparations,
  publishingShots,
  readingShots,
  replyShots,
  wildShots,
} from './shots.ts';

export interface Scene {
  readonly t: Teardown;
  readonly house: StrictHouse;
  readonly judge: Judge;
}

/** What comes to the ears of a role while everybody else works. */
export async function overhears({ t, house, judge }: Scene, role: Role): Promise<string[]> {
  await judge.plant(lasting);
  const intruder = await intrude(t, house, role);
  const overheard = intruder.eavesdrop(eavesdropping(role));
  const day = { mark: judge.mark, name: `while-${role}-listens` };
  const others = roles.filter((other) => other !== role);
  await Promise.all(others.map(async (other) => work(await house.bus(other), other, day)));
  const heard = await intruder.volley([]);
  await intruder.nc.close();
  return [...heard, ...overheard];
}

/** Whatever answers what is not in its row, and whatever in its row says what it may not read. */
export async function reads({ t, house, judge }: Scene, role: Role): Promise<string[]> {
  await judge.plant();
  const intruder = await intrude(t, house, role);
  const shots = readingShots(role);
  const outside = await intruder.volley(shots.filter(({ subject }) => !inRow(role, subject)));
  const inside = await intruder.volley(shots.filter(({ subject }) => inRow(role, subject)));
  await intruder.nc.close(); // else it would go on taking its role's mail
  await judge.clear([leases]); // held ones would make the next day's work wait
  return [...outside.map((text) => `answered: ${text}`), ...judge.leaks(role, inside).map((text) => `leaked: ${text}`)];
}

/** More of each kind than there are replies to aim at: so every pull of the intruder has something to bring. */
const stock = 100;

/** What a role changes that it may not change, and what it makes others hear. */
export async function changes(scene: Scene, role: Role): Promise<string[]> {
  const { t, house, judge } = scene;
  await judge.clear();
  await judge.plant();
  const own = targets().filter(({ owner }) => owner === role);
  for (const { filter, stream } of own)
    await judge.fill(filter.replace('.*.*.*.', '.canary.k.x.').replace('>', 'canary.k'), stream.account, stock);
  const held = new Map(await Promise.all(targets().map(async (one) => [one, await judge.hold(one)] as const)));
  const intruder = await intrude(t, house, role);
  const others = await audience(scene, role);
  await intruder.volley(preparations(role));
  const before = await judge.look();
  const known = { held, places: new Map([...before.messages.values()].map(({ stream, seq }) => [stream.name, seq])) };
  await answerElsewhere(intruder, others.people, foreignReplies(role, known));
  await intruder.volley([
    ...replyShots(role, known),
    ...(house.server.version.startsWith('2.9.') ? [] : wildShots(role)),
    ...headerShots(role),
    ...publishingShots(role),
    ...endingShots(role, known),
    ...readingShots(role),
  ]);
  const found = harm(role, before, await judge.look());
  for (const one of [intruder, ...others.all]) await one.nc.close();
  return [...found, ...others.heard().map((text) => `made to hear: ${text}`)];
}

/** Everybody else, idle: whatever comes to them was sent by the intruder. */
async function audience({ t, house }: Scene, role: Role) {
  const all = await Promise.all(roles.filter((other) => other !== role).map((other) => intrude(t, house, other)));
  const heard = all.map(({ role: other, eavesdrop }) =>
    eavesdrop([`${inboxOf(other)}.>`, ...(isService(other) ? ['$SRV.>', `serve.${other}.>`] : [])]),
  );
  // people may ask every service, and are answered
  const fair = isPerson(role) ? [/^\$SRV\./] : people.map((person) => new RegExp(`^${inboxOf(person)}\\.shot\\.`));
  return {
    all,
    people: all.filter(({ role: other }) => isPerson(other)),
    heard: () => heard.flat().filter((text) => !fair.some((pattern) => pattern.test(text))),
  };
}

const isPerson = (role: Role): boolean => !isService(role);

/** A service that is asked by people answers, and has its answers answered elsewhere. */
async function answerElsewhere({ role, nc }: Intruder, asking: readonly Intruder[], replies: readonly string[]) {
  if (!isService(role)) return;
  const pings = nc.subscribe('$SRV.PING', {
    callback: (_, { reply: to }) => {
      for (const reply of to ? replies : []) nc.publish(to ?? '', 'an answer', { reply });
    },
  });
  await nc.flush();
  for (const person of asking) await person.volley([{ subject: `srv.${role}.PING` }]);
  pings.unsubscribe();
}
