// Who may read and write what, said a second time and in other words than deploy/nats/roles.ts: a slip there shows here.
// What this page does not know nobody may touch, so a new kind of stream is guarded before anyone thinks of it.
import type { Message } from '#protocol/message';
import { isService, placesOf, type Role, type Service, services, traits } from '#protocol/roles';
import { blobStores, route, values } from '#protocol/route';
import { type Consumer, consumersOf, leases, parkedOf, type Stream } from '#protocol/streams';
import { roles } from '../../deploy/nats/roles.ts';

interface Rights {
  readonly readers: readonly Role[];
  readonly writers: readonly Role[];
}

const nobody: Rights = { readers: [], writers: [] };
const only = (role: Role): Rights => ({ readers: [role], writers: [role] });
const viewerOf = (service: Service): Role[] => (traits[service].home === 'core' ? ['viewer'] : []);

/** `header:…`: of the message under this subject the headers alone. */
function rightsTo(subject: string): Rights {
  if (subject.startsWith('header:')) return rightsToHeaders(subject.slice('header:'.length));
  const [kind = '', owner = ''] = subject.split('.');
  // what comes there comes from the server, when somebody has written to the mail that is traced
  if (kind === 'trace') return { readers: ['viewer'], writers: rightsTo(subject.slice('trace.'.length)).writers };
  if (kind === '$KV') return rightsToKey(subject);
  if (kind === 'blob') {
    const store = blobStores.find(({ name }) => name === owner);
    return store ? { readers: [...store.writers, ...store.readers], writers: store.writers } : nobody;
  }
  if (!isService(owner)) return nobody;
  if (kind === 'msg' || kind === 'act')
    return { readers: [owner, ...viewerOf(owner)], writers: ['operator', ...sendersOf(subject)] };
  if (kind === 'later') return only(owner);
  // what its owner has parked came to it as mail, and comes again when the operator says so
  return kind === 'parked' ? { readers: [owner, 'operator', ...viewerOf(owner)], writers: [owner] } : nobody;
}

/** Of what the evaluator is told a viewer sees the outside. */
function rightsToHeaders(subject: string): Rights {
  const { readers, writers } = rightsTo(subject);
  const isTraced = subject.startsWith('msg.evaluator.') || subject.startsWith('act.evaluator.');
  return { readers: isTraced ? [...readers, 'viewer'] : readers, writers };
}

/** Whatever the address: a strange one is its receiver's to refuse. */
function sendersOf(subject: string): readonly Role[] {
  const [lane, to = '', , , from, name, ...rest] = subject.split('.');
  const said = route.find((message) => message.name === name && to in message.to);
  if (!said || rest.length > 0 || lane !== (said.kind === 'act' ? 'act' : 'msg')) return [];
  return said.from.filter((role) => role === from);
}

function rightsToKey(subject: string): Rights {
  const [, bucket = '', key = ''] = subject.split('.');
  if (bucket === 'leases') return isService(key) && traits[key].single ? only(key) : nobody;
  const value = values.find(({ name }) => bucket === `value_${name}`);
  if (value) return { readers: [value.writer, ...value.readers], writers: [value.writer] };
  const owner = services.find((service) => bucket === `state_${service}` || bucket === `acts_${service}`);
  return owner ? only(owner) : nobody;
}

export const mayRead = (role: Role, subject: string): boolean => rightsTo(subject).readers.includes(role);
export const mayWrite = (role: Role, subject: string): boolean => rightsTo(subject).writers.includes(role);

/** The operator drops what is parked; nobody else takes a message out of a stream. */
export const mayDelete = (role: Role, { name }: Stream): boolean =>
  role === 'operator' && services.some((service) => parkedOf(service).name === name);

/** Subjects that a stream keeps: one that means nothing, the keys that mean most, and each message as if from anybody. */
export const samplesOf = (stream: Stream): string[] =>
  stream.subjects.flatMap((pattern) => {
    const [lane = '', to = ''] = pattern.split('.');
    const said = route.filter((message) => to in message.to && lane === (message.kind === 'act' ? 'act' : 'msg'));
    return [
      ...keysOf(stream, lane).map((key) => pattern.replace('>', key)),
      ...said.flatMap(({ name }) => roles.map((from) => `${lane}.${to}.canary.k.${from}.${name}`)),
      ...said.flatMap((message) => atPlaces(message, lane, to)),
    ];
  });

/** An act at every place where it is done: each has a consumer that would wait for it. */
const atPlaces = ({ name, from }: Message, lane: string, to: string): string[] =>
  lane === 'act' && isService(to)
    ? placesOf(to)
        .slice(0, 2)
        .flatMap((place) => from.map((role) => `${lane}.${to}.canary.${place}.${role}.${name}`))
    : [];

function keysOf(stream: Stream, lane: string): readonly string[] {
  if (lane === 'later' || lane === 'parked') return ['msg.canary.k.operator.said']; // on its way to somewhere
  if (!stream.bucket) return ['canary.k'];
  return stream === leases
    ? ['canary.k', ...services.map((service) => `${service}.holder`)]
    : ['canary.k', 'all.secret'];
}

export type Owned = Consumer & { readonly owner: Service };

export const owned = (): Owned[] =>
  services.flatMap((owner) => consumersOf(owner).map((consumer) => ({ ...consumer, owner })));

/** Places differ by their number alone: the first two stand for all. */
export const targets = (): Owned[] => owned().filter(({ name }) => !/-p(?:[3-9]|\d\d)$/.test(name));
