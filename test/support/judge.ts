import { randomBytes } from 'node:crypto';
import {
  AckPolicy,
  connect,
  createInbox,
  DeliverPolicy,
  headers,
  type JetStreamManager,
  type NatsConnection,
  type StoredMsg,
  type StreamState,
} from 'nats';
import type { Account, Role } from '#protocol/roles';
import { accountOf, leases, type Stream, streams } from '#protocol/streams';
import type { StrictHouse, Teardown } from './intruder.ts';
import { mayDelete, mayRead, mayWrite, type Owned, owned, samplesOf } from './rights.ts';

/** All but the leases: a service waits while another holds its lease. */
export const lasting = streams().filter((stream) => stream !== leases);

interface Kept {
  readonly stream: Stream;
  readonly seq: number;
  readonly subject: string;
  readonly text: string;
}

type Found = Pick<StoredMsg, 'seq' | 'subject' | 'data'>;

/** A work queue takes no second consumer, and who reads of leases might wait for one that has ended. */
const isForOne = ({ retention, name }: Stream): boolean => retention === 'workqueue' || name === leases.name;

/** Everything on the server: messages by place, and the settings and standing of streams and consumers. */
interface Sight {
  readonly messages: ReadonlyMap<string, Kept>;
  readonly standing: ReadonlyMap<string, string>;
}

type Admins = Readonly<Record<Account, { nc: NatsConnection; jsm: JetStreamManager }>>;

/** Sees all of CORE and EVAL with the logins of the launcher, whatever the roles may see. */
export class Judge {
  readonly #admins: Admins;
  readonly #nonce = randomBytes(9).toString('base64url');

  private constructor(admins: Admins) {
    this.#admins = admins;
  }

  static async sit(t: Teardown, house: StrictHouse): Promise<Judge> {
    const admin = async (user: Account) => {
      const nc = await connect({ servers: house.server.url, user, pass: house.passwords[user] });
      t.teardown(() => nc.close());
      return { nc, jsm: await nc.jetstreamManager({ timeout: 30_000 }) };
    };
    return new Judge({ core: await admin('core'), eval: await admin('eval') });
  }

  /** A text that says where it was written; `leaks` finds it wherever it turns up. */
  mark = (subject: string): string => `[${this.#nonce}|${subject}]`;

  /** Puts a marked message under every sample subject. */
  async plant(where: readonly Stream[] = streams()): Promise<void> {
    const subjects = where.flatMap((stream) => samplesOf(stream).map((subject) => ({ subject, stream })));
    await Promise.all(subjects.map(({ subject, stream }) => this.put(subject, stream.account)));
  }

  async clear(what: readonly Stream[] = streams()): Promise<void> {
    await Promise.all(what.map(({ account, name }) => this.#admins[account].jsm.streams.purge(name)));
  }

  async fill(subject: string, account: Account, count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.put(subject, account)));
  }

  async put(subject: string, account: Account = accountOf(subject)): Promise<void> {
    const fields = headers();
    fields.set('Canary', this.mark(`header:${subject}`));
    await this.#admins[account].nc
      .jetstream({ timeout: 30_000 })
      .publish(subject, this.mark(subject), { headers: fields });
  }

  /** Marked texts that this role may not read. */
  leaks(role: Role, heard: readonly string[]): string[] {
    const marks = heard.flatMap((text) => text.match(new RegExp(`\\[${this.#nonce}\\|[^\\]]+\\]`, 'g')) ?? []);
    const subjects = marks.map((mark) => mark.slice(this.#nonce.length + 2, -1));
    return [...new Set(subjects)].filter((subject) => !mayRead(role, subject));
  }

  /** Takes one message of a consumer and does not acknowledge it: the subject that would. */
  async hold({ stream, name }: Owned): Promise<string> {
    const { nc } = this.#admins[stream.account];
    const inbox = createInbox();
    const taken = nc.subscribe(inbox, { max: 1 });
    nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream.name}.${name}`, '', { reply: inbox });
    for await (const { reply } of taken) return reply ?? '';
    throw new Error(`nothing to hold in ${stream.name} ${name}`);
  }

  async bytesAt({ account, name }: Stream, subject: string): Promise<Uint8Array> {
    return (await this.#admins[account].jsm.streams.getMessage(name, { last_by_subj: subject })).data;
  }

  async look(): Promise<Sight> {
    const kept = await Promise.all(streams().map((stream) => this.#messagesOf(stream)));
    const standing = await Promise.all([this.#listed('core'), this.#listed('eval')]);
    return { messages: new Map(kept.flat()), standing: new Map(standing.flat()) };
  }

  async #messagesOf(stream: Stream): Promise<[string, Kept][]> {
    const { state } = await this.#admins[stream.account].jsm.streams.info(stream.name);
    if (state.messages === 0) return [];
    const found = await (isForOne(stream) ? this.#oneByOne(stream, state) : this.#atOnce(stream, state));
    return found.map(({ seq, subject, data }) => {
      return [`${stream.name} ${seq}`, { stream, seq, subject, text: Buffer.from(data).toString() }];
    });
  }

  async #atOnce({ account, name: stream }: Stream, { messages }: StreamState): Promise<Found[]> {
    const { jsm, nc } = this.#admins[account];
    const config = {
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      max_ack_pending: -1,
      mem_storage: true,
    };
    const { name } = await jsm.consumers.add(stream, config);
    const reader = await nc.jetstream({ timeout: 30_000 }).consumers.get(stream, name);
    const found: Found[] = [];
    for await (const one of await reader.fetch({ max_messages: messages, expires: 60_000 })) found.push(one);
    await jsm.consumers.delete(stream, name);
    return found;
  }

  async #oneByOne({ account, name }: Stream, { first_seq, last_seq }: StreamState): Promise<Found[]> {
    const { jsm } = this.#admins[account];
    const places = Array.from({ length: last_seq - first_seq + 1 }, (_, n) => first_seq + n);
    const found = places.map((seq) => jsm.streams.getMessage(name, { seq }).catch(() => undefined)); // a gap
    return (await Promise.all(found)).filter((one) => one !== undefined);
  }

  async #listed(account: Account): Promise<[string, string][]> {
    const { jsm } = this.#admins[account];
    const lines: [string, string][] = [];
    for await (const { config } of jsm.streams.list()) {
      lines.push([`${account} stream ${config.name}`, JSON.stringify(config)]);
      for await (const { name, config: settings, delivered, ack_floor, ...info } of jsm.consumers.list(config.name)) {
        const places = [delivered.consumer_seq, delivered.stream_seq, ack_floor.stream_seq, info.num_ack_pending];
        lines.push([`consumer ${config.name} ${name}`, JSON.stringify(settings)]);
        lines.push([standingOf(config.name, name), JSON.stringify([...places, info.num_redelivered])]);
      }
    }
    return lines;
  }
}

/** What a role has changed that it may not change. Leases end by themselves, and where its own consumers stand is its own. */
export const harm = (role: Role, before: Sight, after: Sight): string[] => [
  ...[...after.messages]
    .filter(([place, kept]) => !before.messages.has(place) && !mayBegin(role, kept))
    .map(([place, { subject, text }]) => `new: ${place} ${subject} ${text.slice(0, 100)}`),
  ...[...before.messages]
    .filter(([place, kept]) => !after.messages.has(place) && !mayEnd(role, kept))
    .map(([place, { subject }]) => `gone: ${place} ${subject}`),
  ...[...new Set([...before.standing.keys(), ...after.standing.keys()])]
    .filter((what) => before.standing.get(what) !== after.standing.get(what) && !isOwn(role, what))
    .map((what) => `changed: ${what} ${before.standing.get(what)} → ${after.standing.get(what)}`),
];

/** A trace has no text: with one, somebody has written it. */
const mayBegin = (role: Role, { stream, subject, text }: Kept): boolean =>
  mayWrite(role, subject) &&
  (text === '' || !subject.startsWith('trace.')) &&
  stream.subjects.some((pattern) => subject.startsWith(pattern.replace('>', '')));

const mayEnd = (role: Role, { stream, subject }: Kept): boolean =>
  ((stream.bucket || stream.retention === 'workqueue') && mayWrite(role, subject)) ||
  (stream.maxAgeSeconds > 0 && stream.maxAgeSeconds < 60) ||
  mayDelete(role, stream);

const isOwn = (role: Role, what: string): boolean =>
  owned().some(({ owner, stream, name }) => owner === role && what === standingOf(stream.name, name));

const standingOf = (stream: string, consumer: string): string => `standing of ${stream} ${consumer}`;
