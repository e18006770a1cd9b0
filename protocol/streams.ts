import type { Message } from './message.ts';
import { type Account, characters, isService, placesOf, type Service, services } from './roles.ts';
import { blobStores, route, values } from './route.ts';

/**
 * A stream, a bucket or a blob store: on the server all three are streams. One replica each; a cluster raises it. None has
 * a size of its own, because a server reserves it: what bounds them together is the server's store, and a full store
 * makes every sender wait.
 */
export interface Stream {
  readonly name: string;
  readonly account: Account;
  readonly subjects: readonly string[];
  /** `limits` keeps what was read, which is the memory of every run; `workqueue` drops it. */
  readonly retention: 'limits' | 'workqueue';
  /** A bucket keeps the last message of each subject. */
  readonly bucket: boolean;
  readonly maxAgeSeconds: number;
  /** Of one message, headers included; -1: as much as the server takes. */
  readonly maxMessageBytes: number;
  /** Under this, the headers of each message are said once more, without its body; null: they are not. */
  readonly headersTo: string | null;
  /** A second publish of an id within this time is dropped by the server; later ones by the receiver's handled ids. */
  readonly duplicateWindowSeconds: number;
}

export interface Consumer {
  readonly stream: Stream;
  readonly name: string;
  readonly filter: string;
  /** A message whose process is silent for this long goes to another process. Bounds the return from a kill -9. */
  readonly ackWaitSeconds: number;
  readonly maxAckPending: number;
}

const day = 24 * 3600;

/** What the server takes in one piece, headers included; it warns above this. */
export const maxPayloadBytes = 8 * 2 ** 20;
const headerBytes = 64 * 2 ** 10;
/** Messages and values stay below this; what is larger travels as a blob. */
export const maxBodyBytes = 4 * 2 ** 20;
/** What may lie in a mail. */
export const maxMessageBytes = maxBodyBytes + headerBytes;
/** What a service keeps in one piece: a record with its outbox, the outcome of an act. */
export const maxRecordBytes = maxPayloadBytes - headerBytes;
/** What a turn or an act may send, all in all; it is kept in one piece until it is out. */
export const maxOutboxBytes = maxRecordBytes - headerBytes;
/** A state stays below this, so that any message can be parked in the outbox beside it. */
export const maxStateBytes = maxRecordBytes - maxMessageBytes - headerBytes;
/** Blobs are cut into parts of this size, so that neither side ever holds more than a few of them. */
export const blobPartBytes = 512 * 2 ** 10;
/** A lease not renewed for this long is free; its holder stops a second before. */
export const leaseSeconds = 4;

const stream = (basics: Pick<Stream, 'account' | 'name' | 'subjects'> & Partial<Stream>): Stream => ({
  retention: 'limits',
  bucket: false,
  maxAgeSeconds: 0,
  maxMessageBytes: -1,
  headersTo: null,
  duplicateWindowSeconds: 300,
  ...basics,
});

const bucket = (account: Account, name: string, maxAgeSeconds = 0): Stream =>
  stream({
    account,
    name: `KV_${name}`,
    subjects: [`$KV.${name}.>`],
    bucket: true,
    maxAgeSeconds,
    duplicateWindowSeconds: maxAgeSeconds > 0 ? Math.min(120, maxAgeSeconds) : 120,
  });

const home = (service: Service): Account => characters[service].home;

/** All that is said to a service: one stream, so one order, and a service reads no mail but its own. */
export const mailOf = (service: Service): Stream =>
  stream({
    account: home(service),
    name: `mail_${service}`,
    subjects: [`msg.${service}.>`, `act.${service}.>`],
    // less than a service may keep: whatever comes can be parked, with its reason
    maxMessageBytes,
    headersTo: isTraced(service) ? 'trace.>' : null,
  });

/** What is said in EVAL nobody else may read; who said what to whom, and when, is told all the same. */
export const isTraced = (service: Service): boolean => home(service) === 'eval';
export const traceOf = (service: Service): Stream =>
  stream({
    account: home(service),
    name: `trace_${service}`,
    subjects: mailOf(service).subjects.map((subject) => `trace.${subject}`),
  });

/** Messages that a service will send when they are due. */
export const laterOf = (service: Service): Stream =>
  stream({
    account: home(service),
    name: `later_${service}`,
    subjects: [`later.${service}.>`],
    retention: 'workqueue',
  });

/** One record for each instance of an actor: state, cursor, handled ids, outbox. */
export const stateOf = (service: Service): Stream => bucket(home(service), `state_${service}`);

/** One record for each act: who has claimed it, and its outcome. Kept longer than any act is redelivered. */
export const actsOf = (service: Service): Stream => bucket(home(service), `acts_${service}`, 7 * day);

/** Messages that could not be handled, each with its reason, for a person to look at. */
export const parkedOf = (service: Service): Stream =>
  stream({
    account: home(service),
    name: `parked_${service}`,
    subjects: [`parked.${service}.>`],
  });

export const leases: Stream = bucket('core', 'leases', leaseSeconds);

export const valueStream = (name: string): Stream => bucket('core', `value_${name}`);
export const blobStream = (name: string): Stream =>
  stream({ account: 'core', name: `blob_${name}`, subjects: [`blob.${name}.>`], bucket: true });

export const bucketName = ({ name }: Pick<Stream, 'name'>): string => name.slice('KV_'.length);

const streamsOf = (service: Service): Stream[] => [mailOf, laterOf, stateOf, actsOf, parkedOf].map((of) => of(service));

export const streams = (): Stream[] => [
  ...services.flatMap(streamsOf),
  ...services.filter(isTraced).map(traceOf),
  leases,
  ...values.map(({ name }) => valueStream(name)),
  ...blobStores.map(({ name }) => blobStream(name)),
];

/** The turns of a service: everything said to it, in one consumer. */
export const turnsOf = (service: Service): Consumer => ({
  stream: mailOf(service),
  name: 'turns',
  filter: `msg.${service}.>`,
  ackWaitSeconds: 5,
  maxAckPending: 1000,
});

/** One kind of act, at one place: a consumer of its own, because an act holds its message for as long as it lasts. */
export const actOf = (service: Service, name: string, place?: string): Consumer => ({
  stream: mailOf(service),
  name: place === undefined ? `act-${name}` : `act-${name}-${place}`,
  filter: `act.${service}.*.${place ?? '*'}.*.${name}`,
  ackWaitSeconds: 6,
  maxAckPending: 10_000,
});

/** The timers of a service: every one that is not yet due is held unacknowledged, so there is no bound on them. */
export const timersOf = (service: Service): Consumer => ({
  stream: laterOf(service),
  name: 'timers',
  filter: `later.${service}.>`,
  ackWaitSeconds: 5,
  maxAckPending: -1,
});

const isAct = ({ kind }: Message): boolean => kind === 'act';

function actsAt(service: Service, name: string): Consumer[] {
  const places = placesOf(service);
  return places.length === 0 ? [actOf(service, name)] : places.map((place) => actOf(service, name, place));
}

export const consumersOf = (service: Service): Consumer[] => [
  turnsOf(service),
  timersOf(service),
  ...route.filter((message) => isAct(message) && service in message.to).flatMap(({ name }) => actsAt(service, name)),
];

export const consumers = (): Consumer[] => services.flatMap(consumersOf);

/** Where a subject of the route is kept. */
export const accountOf = (subject: string): Account => {
  const [, owner = ''] = subject.split('.');
  return isService(owner) ? characters[owner].home : 'core';
};
