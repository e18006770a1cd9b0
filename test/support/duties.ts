// What each role does in a working day, by the kit, as its service would.

import { blobs } from '#kit/blobs';
import { type Bus, Conflict } from '#kit/bus';
import { loadClaim, saveClaim } from '#kit/claim';
import { loadIds } from '#kit/ids';
import { lead } from '#kit/lease';
import { dropParked, listParked, parkedOutgoing, retryParked } from '#kit/park';
import { pull } from '#kit/pull';
import { sendAll } from '#kit/send';
import { type Outgoing, pack } from '#kit/wire';
import { patternsOf } from '#protocol/message';
import { isService, placesOf, type Role, type Service, services, traits } from '#protocol/roles';
import { blobStores, route, values } from '#protocol/route';
import { type Consumer, mailOf, parkedOf, type Stream, stateOf, traceOf, valueStream } from '#protocol/streams';
import { targets } from './rights.ts';

/** `mark`: what a text must contain that this role writes under a subject. */
export interface Day {
  readonly mark: (subject: string) => string;
  /** Tells one day from another. */
  readonly name: string;
}

export async function work(bus: Bus, role: Role, day: Day): Promise<void> {
  await sends(bus, role, day);
  if (isService(role)) await serviceDuties(bus, role, day);
  else if (role === 'operator') await operatorDuties(bus);
  else await viewerDuties(bus);
  for (const { name, readers } of values) if (readers.includes(role)) await look(bus, valueStream(name), day);
}

/** Everybody reads what they know the address of; people list. */
async function look(bus: Bus, stream: Stream, { name }: Day): Promise<void> {
  await bus.load(stream, `${name}.k`);
  if (!isService(bus.role)) await bus.next(stream, `${stream.subjects[0]?.replace('>', '*.*')}`, 1);
}

const outgoing = (subject: string, { mark, name }: Day): Outgoing => ({
  subject,
  id: `${subject}-${name}`,
  cause: null,
  schema: 1,
  due: null,
  failure: null,
  data: pack({ version: 1, text: mark(subject) }),
});

/** Each place has a consumer of its own, which waits for what is done there; two stand for all. */
const placesOfAct = (subject: string): readonly string[] => {
  const [lane, to = ''] = subject.split('.');
  return lane === 'act' && isService(to) ? placesOf(to).slice(0, 2) : [];
};

async function sends(bus: Bus, role: Role, day: Day): Promise<void> {
  const subjects = route.filter(({ from }) => from.includes(role)).flatMap((message) => patternsOf(message, role));
  for (const subject of subjects)
    for (const key of ['k', ...placesOfAct(subject)])
      await bus.publish(outgoing(subject.replace('.*.*.', `.${day.name}.${key}.`), day));
  const set = values.filter(({ writer }) => writer === role).map(({ name }) => `$KV.value_${name}.${day.name}.k`);
  await sendAll(
    bus,
    set.map((subject) => outgoing(subject, day)),
  );
}

async function serviceDuties(bus: Bus, service: Service, day: Day): Promise<void> {
  const ids = await loadIds(bus, stateOf(service));
  await bus.publish({ ...outgoing(`later.${service}.msg.${service}.${day.name}.k`, day), due: 1 });
  await record(bus, stateOf(service), day);
  await saveClaim(bus, service, { id: day.name, claim: await loadClaim(bus, service, day.name) });
  for (const consumer of targets().filter(({ owner }) => owner === service)) await takeOne(bus, consumer);
  const stored = await bus.next(mailOf(service), `msg.${service}.>`, 1);
  const subject = `msg.${service}.${day.name}.k.operator.said`;
  const text = day.mark(`parked.${service}.x`);
  if (stored)
    await bus.publish(
      parkedOutgoing({ ...stored, subject, data: pack(text) }, { code: 'bus/unknown-message', detail: text }, ids),
    );
  if (traits[service].single) await leadOnce(bus, service);
  await keepBlobs(bus, service, day);
}

async function takeOne(bus: Bus, consumer: Consumer): Promise<void> {
  await bus.standing(consumer);
  await new Promise<void>((taken, failed) => {
    const { stop, ended } = pull(bus, consumer, {
      batch: 1,
      handle: (delivery) => {
        delivery.working();
        delivery.ack();
        void stop().then(taken, failed);
        return undefined;
      },
    });
    ended.catch(failed);
  });
}

/** Written by compare-and-set: what another process wrote in between is not overwritten. */
async function record(bus: Bus, stream: Stream, { mark, name }: Day): Promise<void> {
  const key = `${name}.k`;
  const data = pack(mark(`$${stream.name.replace('_', '.')}.${key}`));
  const there = await bus.load(stream, key);
  await bus.save(stream, key, { data, expected: { key: there?.revision ?? 0 } });
  const late = pack('too late');
  const refused = await bus.save(stream, key, { data: late, expected: { key: 0 } }).catch((error) => error);
  if (!(refused instanceof Conflict)) throw new Error(`a stale write of ${stream.name} ${key} was taken`);
}

async function leadOnce(bus: Bus, service: Service): Promise<void> {
  const stop = new AbortController();
  await lead(bus, service, { work: async () => stop.abort(), signal: stop.signal });
}

async function keepBlobs(bus: Bus, role: Role, { mark, name }: Day): Promise<void> {
  const bytes = (store: string): Buffer => Buffer.from(`${mark(`blob.${store}.x.k`)} ${name}`);
  for (const { name: store, writers, readers } of blobStores) {
    const hash = writers.includes(role) ? await blobs(bus).put(store, bytes(store)) : 'missing';
    if (writers.includes(role)) await blobs(bus).get(store, hash);
    else if (readers.includes(role)) await blobs(bus).get(store, hash).catch(unlessMissing);
  }
}

const unlessMissing = (error: unknown): void => {
  if (!String(error).includes('no blob missing')) throw error;
};

/** What is parked is dropped, but the last of each service, which is sent again. */
async function operatorDuties(bus: Bus): Promise<void> {
  for (const service of services) {
    const parked = [];
    for await (const one of listParked(bus, service)) parked.push(one);
    for (const [index, one] of parked.entries())
      await (index < parked.length - 1 ? dropParked(bus, one) : retryParked(bus, one));
  }
}

async function viewerDuties(bus: Bus): Promise<void> {
  for (const service of services.filter((one) => traits[one].home === 'core')) {
    await bus.next(mailOf(service), `msg.${service}.>`, 1);
    await bus.next(parkedOf(service), `parked.${service}.>`, 1);
  }
  await bus.next(traceOf('evaluator'), 'trace.msg.evaluator.>', 1);
}
