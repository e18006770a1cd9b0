import { patternsOf } from '#protocol/message';
import { type Account, people, type Role, type Service, services, traits } from '#protocol/roles';
import { blobStores, route, values } from '#protocol/route';
import {
  accountOf,
  actsOf,
  blobStream,
  bucketName,
  consumersOf,
  isTraced,
  leases,
  mailOf,
  parkedOf,
  type Stream,
  stateOf,
  traceOf,
  valueStream,
} from '#protocol/streams';

/**
 * What each role may reach, as one table. Storage lies in two accounts, CORE and EVAL, in which nobody logs in but the
 * launcher. Every role logs in to an account of its own, which has no storage and imports just these subjects. A server
 * rewrites the reply subject of what crosses accounts, so no role can have the server write an answer where it may not
 * write itself: inside one account, permissions alone do not prevent that (test/deploy/roles-slip.test.ts).
 *
 * Two things to know before a row grows. An answer that is sent to a granted subject without a wildcard is passed on as if
 * its asker had said it there, and stored under the subject that it came from: so a subject that stores has one. And what
 * is renamed (the JetStream API) has no `*`: an answer sent to such a subject ends a server of 2.9.
 *
 * What this table does not keep apart: the processes of one role. All pods are `pod`, so one can read, answer and
 * acknowledge what was said to another. The operator is trusted. Whoever may write to a mail learns from the server's
 * answers how much lies in it, and the id of the last message.
 */
export interface Grant {
  readonly account: Account;
  readonly subject: string;
  /** `ask`: publish to it and get an answer. `asks`: get many. */
  readonly way: 'ask' | 'asks';
  readonly why: string;
}

export const roles: readonly Role[] = [...services, ...people];

const ask = (account: Account, subject: string, why: string): Grant => ({ account, subject, way: 'ask', why });

const api = (account: Account, rest: string, why: string): Grant => ask(account, `$JS.API.${rest}`, why);

const bucketRead = (stream: Stream, why: string): Grant => api(stream.account, `DIRECT.GET.${stream.name}.>`, why);
const bucketWrite = (stream: Stream, why: string): Grant => ask(stream.account, `$KV.${bucketName(stream)}.>`, why);
const streamRead = (stream: Stream, why: string): Grant => api(stream.account, `DIRECT.GET.${stream.name}`, why);

function consumerGrants(service: Service): Grant[] {
  return consumersOf(service).flatMap(({ stream: { account, name: stream }, name }) => [
    api(account, `CONSUMER.INFO.${stream}.${name}`, 'where its consumer stands'),
    { ...api(account, `CONSUMER.MSG.NEXT.${stream}.${name}`, 'pulls its consumer'), way: 'asks' as const },
    ask(account, `$JS.ACK.${stream}.${name}.>`, 'acknowledges what it was given'),
  ]);
}

function ownGrants(service: Service): Grant[] {
  const lease = `$KV.${bucketName(leases)}.${service}.>`;
  const leaseGrants = [
    ask('core', lease, 'its own lease'),
    api('core', `DIRECT.GET.${leases.name}.${lease}`, 'its own lease'),
  ];
  return [
    ...consumerGrants(service),
    streamRead(mailOf(service), 'looks for earlier mail'),
    ...[stateOf(service), actsOf(service)].flatMap((of) => [
      bucketRead(of, 'its records'),
      bucketWrite(of, 'its records'),
    ]),
    ask(traits[service].home, `later.${service}.>`, 'sets timers'),
    ask(traits[service].home, `parked.${service}.>`, 'parks what it cannot handle'),
    ...(traits[service].single ? leaseGrants : []),
  ];
}

const sendGrants = (role: Role): Grant[] =>
  route
    .filter(({ from }) => from.includes(role))
    .flatMap((message) => patternsOf(message, role).map((subject) => ask(accountOf(subject), subject, 'sends it')));

const valueGrants = (role: Role): Grant[] =>
  values.flatMap(({ name, writer, readers }) => [
    ...(writer === role ? [bucketWrite(valueStream(name), 'sets the value')] : []),
    ...(writer === role || readers.includes(role) ? [bucketRead(valueStream(name), 'reads the value')] : []),
  ]);

const blobGrants = (role: Role): Grant[] =>
  blobStores.flatMap(({ name, writers, readers }) => [
    ...(writers.includes(role) ? [ask('core', `blob.${name}.>`, 'stores blobs')] : []),
    ...(writers.includes(role) || readers.includes(role) ? [bucketRead(blobStream(name), 'fetches blobs')] : []),
  ]);

/** People list a value, which the right to read it subject by subject does not include. */
const personGrants = (role: Role): Grant[] =>
  values
    .filter(({ readers }) => people.some((person) => person === role) && readers.includes(role))
    .map(({ name }) => streamRead(valueStream(name), 'lists the value'));

/** A person with the keys of the house: deals with what is parked, in EVAL too, and may say anything to anybody. */
const operatorGrants = (): Grant[] => [
  ...services.flatMap((service) => {
    const parked = parkedOf(service);
    return [
      streamRead(parked, 'lists what is parked'),
      api(parked.account, `STREAM.MSG.DELETE.${parked.name}`, 'drops what is parked'),
      ask(traits[service].home, `msg.${service}.>`, 'sends a parked message again'),
      ask(traits[service].home, `act.${service}.>`, 'sends a parked act again'),
    ];
  }),
];

/**
 * Sees what is said in CORE, and of EVAL who speaks to whom, and when; and changes nothing. It sees no records: they hold the
 * secrets that ids are made with.
 */
const viewerGrants = (): Grant[] => [
  ...services
    .flatMap((service) => [mailOf(service), parkedOf(service)])
    .filter(({ account }) => account === 'core')
    .map((stream) => streamRead(stream, 'sees what is said')),
  ...services.filter(isTraced).map((service) => streamRead(traceOf(service), 'sees that something is said')),
];

/** The whole row of a role, each subject once. */
export function grantsOf(role: Role): Grant[] {
  const own = role in traits ? ownGrants(role as Service) : [];
  const person = role === 'operator' ? operatorGrants() : role === 'viewer' ? viewerGrants() : [];
  const all = [
    ...own,
    ...sendGrants(role),
    ...valueGrants(role),
    ...blobGrants(role),
    ...personGrants(role),
    ...person,
  ];
  return [...new Map(all.map((grant) => [`${grant.account} ${grant.subject}`, grant])).values()];
}

/** Where a granted subject is found in the role's own account: the JetStream API has the account's name before it. */
export const localSubject = ({ account, subject }: Grant): string => subject.replace(/^\$JS\.API\./, `${account}.API.`);
