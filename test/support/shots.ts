// Every forbidden route that was ever found to lead somewhere, aimed at every stream, consumer and subject there is.
import { patternsOf } from '#protocol/message';
import { type Account, isService, people, type Role, services } from '#protocol/roles';
import { route } from '#protocol/route';
import { accountOf, type Stream, streams } from '#protocol/streams';
import { type Grant, grantsOf, localSubject, roles } from '../../deploy/nats/roles.ts';
import { inboxOf, type Shot } from './intruder.ts';
import { mayDelete, mayWrite, type Owned, samplesOf, targets } from './rights.ts';

/** What an intruder writes where it may. */
const byRight = 'written by right';

type Ask = readonly [rest: string, body: object | string];

/** The API as a server has it, and as roles with something in an account have it. */
const inApi = (account: Account, asks: readonly Ask[]): Shot[] =>
  asks.flatMap(([rest, body]) =>
    ['$JS', account].map((prefix) => ({
      subject: `${prefix}.API.${rest}`,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })),
  );

const first = (stream: Stream): string => samplesOf(stream)[0] ?? '';

function readsOf(stream: Stream, inbox: string): Ask[] {
  const { name } = stream;
  const subject = first(stream);
  const push = { deliver_subject: `${inbox}.push`, deliver_policy: 'all', ack_policy: 'none' };
  const created = { stream_name: name, config: push };
  const named = { stream_name: name, config: { ...push, name: 'spy', filter_subject: subject }, action: 'create' };
  const pulled = { stream_name: name, config: { durable_name: 'spy', deliver_policy: 'all', ack_policy: 'explicit' } };
  const copy = { name: `spy_${name}`, retention: 'limits', storage: 'memory', num_replicas: 1, max_age: 0 };
  return [
    [`STREAM.MSG.GET.${name}`, { seq: 1 }],
    [`STREAM.MSG.GET.${name}`, { last_by_subj: subject }],
    [`STREAM.MSG.GET.${name}`, { next_by_subj: subject, seq: 1 }],
    [`DIRECT.GET.${name}`, { seq: 1 }],
    [`DIRECT.GET.${name}`, { last_by_subj: subject }],
    [`DIRECT.GET.${name}`, { next_by_subj: '>', seq: 1 }],
    [`DIRECT.GET.${name}`, { multi_last: ['>'] }],
    [`DIRECT.GET.${name}`, { seq: 1, batch: 100 }],
    [`DIRECT.GET.${name}`, ''],
    ...samplesOf(stream).map((sample): Ask => [`DIRECT.GET.${name}.${sample}`, '']),
    [`DIRECT.GET.${name}.>`, ''],
    [`DIRECT.GET.${name}.${subject.split('.').fill('*').join('.')}`, ''],
    [`CONSUMER.CREATE.${name}`, created],
    [`CONSUMER.CREATE.${name}.spy`, named],
    [`CONSUMER.CREATE.${name}.spy.${subject}`, named],
    [`CONSUMER.DURABLE.CREATE.${name}.spy`, pulled],
    [`CONSUMER.NAMES.${name}`, ''],
    [`CONSUMER.LIST.${name}`, ''],
    [`STREAM.INFO.${name}`, { subjects_filter: '>' }],
    [`STREAM.SNAPSHOT.${name}`, { deliver_subject: `${inbox}.snapshot`, no_consumers: true }],
    [`STREAM.CREATE.spy_${name}`, { ...copy, sources: [{ name }] }],
    [`STREAM.CREATE.spy_${name}`, { ...copy, mirror: { name } }],
    [`STREAM.UPDATE.${name}`, { ...copy, name, subjects: stream.subjects, republish: { src: '>', dest: 'spy.>' } }],
  ];
}

const consumerReads = ({ stream, name }: Owned): Ask[] => [
  [`CONSUMER.MSG.NEXT.${stream.name}.${name}`, { batch: 100, no_wait: true }],
  [`CONSUMER.INFO.${stream.name}.${name}`, ''],
];

const abroad: readonly Ask[] = [
  ['INFO', ''],
  ['STREAM.NAMES', ''],
  ['STREAM.LIST', ''],
  ['ACCOUNT.PURGE.CORE', ''],
  ['ACCOUNT.PURGE.EVAL', ''],
  ['META.LEADER.STEPDOWN', ''],
  ['SERVER.REMOVE', ''],
];
const system = [
  'USER.INFO',
  'ACCOUNT.PING.CONNZ',
  'ACCOUNT.CORE.CONNZ',
  'SERVER.PING',
  'SERVER.PING.JSZ',
  'CLAIMS.LIST',
];

/** Whatever could bring an intruder something to read. */
export const readingShots = (role: Role): Shot[] => [
  ...streams().flatMap((stream) => inApi(stream.account, readsOf(stream, inboxOf(role)))),
  ...targets().flatMap((consumer) => inApi(consumer.stream.account, consumerReads(consumer))),
  ...inApi('core', abroad),
  ...inApi('eval', abroad),
  ...system.map((name) => ({ subject: `$SYS.REQ.${name}` })),
];

/** Everything that a client may try to hear. */
export const eavesdropping = (role: Role): string[] => {
  const others = roles.filter((other) => other !== role);
  const own = isService(role) ? ['$SRV.>', `serve.${role}.>`] : [];
  return [
    ...['>', '*', '*.>', '*.*.>', '$*.>', '_INBOX.>', '_INBOX*.>', '_R_.>', '$KV.>', '$JS.>', '$JS.ACK.>', '$SYS.>'],
    ...['$JS.API.>', '$JS.EVENT.>', '$O.>', 'core.>', 'eval.>', 'srv.>', 'serve.>', 'serve.*.>', '$SRV.>', '$SRV.PING'],
    ...others.flatMap((other) => [inboxOf(other), `${inboxOf(other)}.>`, `serve.${other}.>`]),
    ...streams().flatMap(({ subjects }) => subjects),
  ].filter((pattern) => !own.includes(pattern) && !(own.length > 0 && pattern === '$SRV.PING'));
};

/** What an intruder may well know or guess. */
export interface Known {
  /** By consumer, the subject that acknowledges a message which its owner has in hand. */
  readonly held: ReadonlyMap<Owned, string>;
  /** By name of its stream, the place of a message. */
  readonly places: ReadonlyMap<string, number>;
}

function endingsOf(role: Role, stream: Stream, places: Known['places']): Ask[] {
  const { name, subjects } = stream;
  const drop: Ask = [`STREAM.MSG.DELETE.${name}`, { seq: places.get(name), no_erase: true }];
  return [
    ...(mayDelete(role, stream) ? [] : [drop]),
    [`STREAM.PURGE.${name}`, ''],
    [`STREAM.DELETE.${name}`, ''],
    [`STREAM.RESTORE.${name}`, { config: { name, subjects }, state: {} }],
    [`STREAM.UPDATE.${name}`, { name, subjects, max_msgs: 1, storage: 'file', num_replicas: 1 }],
    [`STREAM.LEADER.STEPDOWN.${name}`, ''],
    [`STREAM.PEER.REMOVE.${name}`, ''],
  ];
}

const consumerEndings = ({ stream: { name: stream }, name }: Owned): Ask[] => [
  [`CONSUMER.DELETE.${stream}.${name}`, ''],
  [`CONSUMER.PAUSE.${stream}.${name}`, { pause_until: '2100-01-01T00:00:00Z' }],
  [`CONSUMER.RESET.${stream}.${name}`, ''],
  [`CONSUMER.UNPIN.${stream}.${name}`, { group: 'a' }],
  [`CONSUMER.LEADER.STEPDOWN.${stream}.${name}`, ''],
];

const fates = ['', '+ACK', '-NAK', '+TERM', '+WPI', '+NXT'];

export const endingShots = (role: Role, { held, places }: Known): Shot[] => [
  ...streams().flatMap((stream) => inApi(stream.account, endingsOf(role, stream, places))),
  ...targets().flatMap((consumer) => inApi(consumer.stream.account, consumerEndings(consumer))),
  ...[...held]
    .filter(([{ owner }]) => owner !== role)
    .flatMap(([, subject]) => [subject, subject.replace('$JS.ACK.', '$JS.ACK._.hash.')])
    .flatMap((subject) => fates.map((body) => ({ subject, body }))),
];

/** Subjects that this role may not write: what is said, what is kept, and what others listen to. */
export const foreignSubjects = (role: Role): string[] =>
  streams()
    .flatMap(samplesOf)
    .flatMap((subject) => [subject, subject.replace('.canary.k', '.*.*'), subject.replace('.canary.k', '.a.b.c')])
    .filter((subject) => !mayWrite(role, subject));

const listeners = (role: Role): string[] => [
  ...roles.filter((other) => other !== role).flatMap((other) => [`${inboxOf(other)}.x`, `serve.${other}.x`]),
  ...['$SRV.PING', '$SRV.INFO.conductor', '_R_.abcdef.x', '$JS.EVENT.ADVISORY.x'],
  ...(isService(role) ? services.map((service) => `srv.${service}.PING`) : []),
];

export const publishingShots = (role: Role): Shot[] =>
  [...foreignSubjects(role), ...listeners(role)].map((subject) => ({ subject, body: 'written by an intruder' }));

/** What a role may publish, made concrete, by the name it has for it and by the server's: reads of what it stored itself, writes, pulls, acknowledgements, questions. */
export function rightfulShots(role: Role): Shot[] {
  const asked = people.some((person) => person === role) ? services : [];
  return [
    ...ofEachKind(role).flatMap((grant) => [...new Set([localSubject(grant), grant.subject])].flatMap(rightful)),
    ...asked.flatMap((service) => ['PING', 'INFO', 'STATS'].map((verb) => ({ subject: `srv.${service}.${verb}` }))),
  ];
}

/** Every kind of subject in a row, and three of each at most: those of a kind are made by one line, and each is combined with all. */
function ofEachKind(role: Role): Grant[] {
  const kinds = new Map<string, Grant[]>();
  for (const grant of grantsOf(role)) {
    const kind = `${grant.account} ${grant.why} ${grant.subject.split('.').slice(0, 3).join('.')}`;
    const some = kinds.get(kind) ?? [];
    if (some.length < 3) kinds.set(kind, [...some, grant]);
  }
  return [...kinds.values()].flat();
}

function rightful(subject: string): Shot[] {
  if (subject.includes('.API.STREAM.MSG.DELETE.')) return [{ subject, body: JSON.stringify({ seq: 999_999 }) }];
  if (subject.includes('.MSG.NEXT.')) return [{ subject, body: JSON.stringify({ batch: 1, no_wait: true }) }];
  if (subject.startsWith('$JS.ACK.'))
    return ['+NXT', '+ACK', ''].map((body) => ({ subject: subject.replace('>', '1.999999.999999.1.0'), body }));
  if (!subject.includes('.API.')) return [{ subject: concrete(subject), body: byRight }];
  const [, name = ''] = subject.split('.DIRECT.GET.');
  const [stream] = streams().filter((one) => name.startsWith(`${one.name}.`));
  if (!stream || !name.endsWith('>')) return [{ subject, body: JSON.stringify({ seq: 1 }) }];
  return ['own.k', 'canary.k', 'none.k'].map((key) => ({
    subject: subject.replace('>', stream.subjects[0]?.replace('>', key) ?? ''),
  }));
}

const concrete = (pattern: string): string => pattern.replace('.*.*.', '.own.k.').replace('.>', '.own.k');

/** What fills a role's own row before it lets the server answer elsewhere: bodies that would be an order or a record. */
export const preparations = (role: Role): Shot[] =>
  grantsOf(role)
    .map(localSubject)
    .filter((subject) => !subject.includes('.API.') && !subject.startsWith('$JS.ACK.'))
    .map((subject) => ({ subject: concrete(subject), body: byRight }));

/**
 * Each rightful request, with its answer sent to where this role may not write, for the reply is the server's to publish;
 * and to what it may ask itself, which makes the answer another request.
 */
export function replyShots(role: Role, { held }: Pick<Known, 'held'>): Shot[] {
  const own = ofEachKind(role).map((grant) => concrete(localSubject(grant)));
  const all = [...foreignReplies(role, { held }), ...own];
  return rightfulShots(role).flatMap((shot) => all.map((reply) => ({ ...shot, reply })));
}

export const foreignReplies = (role: Role, { held }: Pick<Known, 'held'>): string[] => [
  ...streams().flatMap((stream) =>
    samplesOf(stream)
      .filter((subject) => !mayWrite(role, subject))
      .slice(0, 1),
  ),
  ...[...held]
    .filter(([{ owner }]) => owner !== role)
    .map(([, subject]) => subject)
    .slice(0, 4),
  ...['$JS', 'core', 'eval'].flatMap((api) => [
    `${api}.API.STREAM.PURGE.mail_conductor`,
    `${api}.API.STREAM.DELETE.mail_evaluator`,
  ]),
  ...roles.filter((other) => other !== role).map((other) => `${inboxOf(other)}.x`),
  ...['_R_.abcdef.x', '$SRV.PING', '$JS.FC.mail_conductor.turns.x', '_GR_.x.y.z'],
];

/** Answers sent to everybody at once. A server before 2.9.15 ends at the first, see deploy/nats/config.ts. */
export const wildShots = (role: Role): Shot[] =>
  rightfulShots(role).flatMap((shot) =>
    ['>', '*', '*.*', '$KV.>', '$KV.*.*', 'msg.>', 'core.API.>', '_INBOX_*.*', '$JS.>'].map((reply) => ({
      ...shot,
      reply,
    })),
  );

/** Rightful messages whose headers ask the server for more than to store them. */
export const headerShots = (role: Role): Shot[] =>
  route
    .filter(({ from }) => from.includes(role))
    .flatMap((message) => patternsOf(message, role).map(concrete))
    .flatMap((subject) => orders(role, subject).map((fields) => ({ subject, body: byRight, headers: fields })));

function orders(role: Role, subject: string): Readonly<Record<string, string>>[] {
  const foreign = foreignSubjects(role).filter((victim) => accountOf(victim) === accountOf(subject));
  const account = JSON.stringify({ acc: 'EVAL', svc: 'EVAL', user: 'eval' });
  return [
    { 'Nats-Rollup': 'all' },
    { 'Nats-Rollup': 'sub' },
    { 'Nats-TTL': '1s' },
    { 'Nats-Incr': '1' },
    { 'Nats-Request-Info': account },
    { 'Nats-Batch-Id': 'b', 'Nats-Batch-Sequence': '1', 'Nats-Batch-Commit': '1' },
    ...foreign
      .slice(0, 20)
      .flatMap((victim) => [
        { 'Nats-Trace-Dest': victim },
        { 'Nats-Schedule': '@at 2000-01-01T00:00:00Z', 'Nats-Schedule-Target': victim },
        { 'Nats-Subject': victim, 'Nats-Expected-Last-Subject-Sequence-Subject': victim },
      ]),
  ];
}
