import type { Message } from './message.ts';
import { type Account, isService, placesOf, type Service, services, traits } from './roles.ts';
import { blobStores, route, values } from './route.ts';

/**
 * A stream, a bucket or a blob store: on the server all three are streams. Each has one replica; a cluster raises that.
 * None has a size limit of its own, because the server would reserve that much: they share the limit of the server's
 * store, and when that is full, every sender waits.
 */
export interface Stream {
  readonly name: string;
  readonly account: Account;
  readonly subjects: readonly string[];
  /** `limits` keeps messages that were read: the memory of every run. `workqueue` drops them. */
  readonly retention: 'limits' | 'workqueue';
  /** A bucket keeps the last message of each subject. */
  readonly bucket: boolean;
  readonly maxAgeSeconds: number;
  /** Of one message, headers included; -1: as much as the server takes. */
  readonly maxMessageBytes: number;
  /** Where the headers of each message are published once more, without its body; null: nowhere. */
  readonly headersTo: string | null;
  /** Within this time the server drops a second publish of an id; after it the receiver does, by its handled ids. */
  readonly duplicateWindowSeconds: number;
}

export interface Consumer {
  readonly stream: Stream;
  readonly name: string;
  readonly filter: string;
  /** A message whose process is silent for this long is given to another: this bounds recovery from a kill -9. */
  readonly ackWaitSeconds: number;
  readonly maxAckPending: number;
}

const day = 24 * 3600;

/** The largest message that the server accepts, headers included; it warns about a larger limit. */
export const maxPayloadBytes = 8 * 2 ** 20;
const headerBytes = 64 * 2 ** 10;
/** The largest body of a message or value; what is larger travels as a blob. */
export const maxBodyBytes = 4 * 2 ** 20;
/** The largest message in a mail stream, headers included. */
export const maxMessageBytes = maxBodyBytes + headerBytes;
/** The largest thing that a service saves in one write: a record with its outbox, the outcome of an act. */
export const maxRecordBytes = maxPayloadBytes - headerBytes;
/** All that one turn or act may send; it is saved in one piece until it is sent. */
export const maxOutboxBytes = maxRecordBytes - headerBytes;
/** The largest state: it leaves room to park any message in the outbox beside it. */
export const maxStateBytes = maxRecordBytes - maxMessageBytes - headerBytes;
/** Blobs are cut into parts of this size, so that neither side holds more than a few at once. */
export const blobPartBytes = 512 * 2 ** 10;
/** A lease that is not renewed for this long is free; its holder stops a second earlier. */
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

const home = (service: Service): Account => traits[service].home;

/** Everything sent to a service: one stream, so one order. A service reads no mail but its own. */
export const mailOf = (service: Service): Stream =>
  stream({
    account: home(service),
    name: `mail_${service}`,
    subjects: [`msg.${service}.>`, `act.${service}.>`],
    // less than a record may hold, so that whatever arrives can be parked with its reason
    maxMessageBytes,
    headersTo: isTraced(service) ? 'trace.>' : null,
  });

/** Bodies of messages in EVAL are secret; who sent what to whom, and when, is not. */
export const isTraced = (service: Service): boolean => home(service) === 'eval';
export const traceOf = (service: Service): Stream =>
  stream({
    account: home(service),
    name: `trace_${service}`,
    subjects: mailOf(service).subjects.map((subject) => `trace.${subject}`),
  });

/** Timers: messages that a service will send when they are due. */
export const laterOf = (service: Service): Stream =>
  stream({
    account: home(service),
    name: `later_${service}`,
    subjects: [`later.${service}.>`],
    retention: 'workqueue',
  });

/** One record for each instance of an actor: state, cursor, handled ids, outbox. */
export const stateOf = (service: Service): Stream => bucket(home(service), `state_${service}`);

/** One record for each act: who has claimed it, and its outcome. Kept for longer than any act is redelivered. */
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

/** The turns of a service: its commands and events, in one consumer. */
export const turnsOf = (service: Service): Consumer => ({
  stream: mailOf(service),
  name: 'turns',
  filter: `msg.${service}.>`,
  ackWaitSeconds: 5,
  maxAckPending: 1000,
});

/**
 * One kind of act, at one place. It has a consumer of its own, because an act holds its message for as long as it runs.
 */
export const actOf = (service: Service, name: string, place?: string): Consumer => ({
  stream: mailOf(service),
  name: place === undefined ? `act-${name}` : `act-${name}-${place}`,
  filter: `act.${service}.*.${place ?? '*'}.*.${name}`,
  ackWaitSeconds: 6,
  maxAckPending: 10_000,
});

/** The timers of a service: those not yet due are held unacknowledged, so their number is not limited. */
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

/** The account that stores a subject of the route. */
export const accountOf = (subject: string): Account => {
  const [, owner = ''] = subject.split('.');
  return isService(owner) ? traits[owner].home : 'core';
};
