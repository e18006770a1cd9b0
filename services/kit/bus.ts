import { connect, Events, type JetStreamClient, type JetStreamManager, type NatsConnection } from 'nats';
import type { Account } from '#protocol/roles';
import { bucketName, type Consumer, type Stream } from '#protocol/streams';
import { version } from '#protocol/version';
import type { Standing } from './doubt.ts';
import { countPublish } from './metrics.ts';
import {
  type Expected,
  fromDirectGet,
  isWrongSequence,
  type Messages,
  messagesOf,
  toExpectation,
  toHeaders,
  toPubAck,
  unlessGone,
  untilAnswered,
} from './nats.ts';
import { Replies } from './replies.ts';
import type { Outgoing, Stored } from './wire.ts';

/** How a role gets in. `flat`: a server without our accounts, where every role can do everything. */
export interface Access {
  readonly url: string;
  readonly role: string;
  /** Where it is not the role. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly flat?: boolean | undefined;
}

/** Which stream of the server. */
type Place = Pick<Stream, 'account' | 'name'>;

/** Somebody else wrote first. */
export class Conflict extends Error {}

const inboxPrefixOf = (role: string): string => `_INBOX_${role}`;

export interface Loaded {
  readonly data: Uint8Array;
  readonly revision: number;
}

/** What the client wants to be told; nothing where the server asks for nothing. */
export const credentials = ({ user, role, password }: Access): { user?: string; pass?: string } =>
  password ? { user: user ?? role, pass: password } : {};

/** The only way to NATS while running. Everything waits out an outage; nothing is given up because of one. */
export class Bus {
  readonly nc: NatsConnection;
  readonly role: string;
  readonly #clients: Record<Account, Client>;
  readonly #replies: Replies;
  #connected = true;

  private constructor(nc: NatsConnection, role: string, clients: Record<Account, Client>) {
    this.nc = nc;
    this.#replies = new Replies(nc, inboxPrefixOf(role));
    this.role = role;
    this.#clients = clients;
    void this.#watchConnection();
  }

  static async connect(access: Access): Promise<Bus> {
    const nc = await connect({
      servers: access.url,
      ...credentials(access),
      name: access.role,
      inboxPrefix: inboxPrefixOf(access.role),
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
      reconnectJitter: 100,
      waitOnFirstConnect: true,
      pingInterval: 5_000,
      maxPingOut: 2,
      noAsyncTraces: true,
    });
    const [core, evaluation] = await Promise.all([clientOf(nc, access, 'core'), clientOf(nc, access, 'eval')]);
    return new Bus(nc, access.role, { core, eval: evaluation });
  }

  /** Returns when the server has stored it. Publishing an id again stores nothing. Throws only what no retry can mend. */
  async publish(out: Outgoing): Promise<void> {
    const headers = toHeaders(out);
    const { duplicate } = await untilAnswered(async () =>
      toPubAck(await this.#replies.ask(out.subject, out.data, headers)),
    );
    countPublish(out, duplicate);
  }

  /** Writes bytes under a key, if nobody has written since. Returns the revision. Throws `Conflict`. */
  async save(
    bucket: Place,
    key: string,
    { data, expected }: { data: Uint8Array; expected: Expected },
  ): Promise<number> {
    const subject = `$KV.${bucketName(bucket)}.${key}`;
    const headers = toExpectation(expected);
    let unsure = false;
    return await untilAnswered(async () => {
      try {
        return toPubAck(await this.#replies.ask(subject, data, headers)).seq;
      } catch (error) {
        if (!isWrongSequence(error)) {
          unsure = true;
          throw error;
        }
        // the answer to an earlier try may have been lost: then what lies there is what we wrote
        const there = unsure ? await this.load(bucket, key) : undefined;
        if (there && Buffer.compare(there.data, data) === 0) return there.revision;
        throw new Conflict(`${subject}: expected ${JSON.stringify(expected)}`);
      }
    });
  }

  async load(bucket: Place, key: string): Promise<Loaded | undefined> {
    const found = await this.#get(bucket, { subject: `$KV.${bucketName(bucket)}.${key}` });
    return found && { data: found.data, revision: found.seq };
  }

  /** The first message at or after `from` whose subject matches. */
  async next(stream: Place, filter: string, from: number): Promise<Stored | undefined> {
    return await this.#get(stream, { next_by_subj: filter, seq: from });
  }

  async last(stream: Place, subject: string): Promise<Stored | undefined> {
    return await this.#get(stream, { subject });
  }

  /** A direct get. By subject the right to ask can be granted subject by subject, otherwise only for the whole stream. */
  async #get({ account, name }: Place, query: { subject: string } | { next_by_subj: string; seq: number }) {
    const prefix = `${this.#clients[account].prefix}.DIRECT.GET.${name}`;
    const [subject, body] = 'subject' in query ? [`${prefix}.${query.subject}`, ''] : [prefix, JSON.stringify(query)];
    return await untilAnswered(async () => fromDirectGet(await this.#replies.ask(subject, body)));
  }

  /** Where a consumer stands: everything up to `floor` is acknowledged, `deliverySeq` hand-outs reached `delivered`. */
  async standing({ stream, name }: Consumer): Promise<Standing> {
    const { ack_floor, delivered } = await untilAnswered(async () =>
      (await this.#clients[stream.account].js.consumers.get(stream.name, name)).info(true),
    );
    const { stream_seq, consumer_seq } = delivered;
    return { floor: ack_floor.stream_seq, delivered: stream_seq, deliverySeq: consumer_seq, server: this.server };
  }

  /** Which process of the server this is: another one after it was restarted. */
  get server(): string {
    return this.nc.info?.server_id ?? '';
  }

  /** The messages of a consumer as they come, `batch` at most in hand. Throws when the consumer is not there. */
  async messages({ stream, name }: Consumer, batch: number): Promise<Messages> {
    return await messagesOf(await this.#clients[stream.account].js.consumers.get(stream.name, name), batch);
  }

  /** Takes one message out of a stream, where it still is. */
  async remove({ account, name }: Place, seq: number): Promise<void> {
    await untilAnswered(() => this.#clients[account].jsm.streams.deleteMessage(name, seq).catch(unlessGone));
  }

  get connected(): boolean {
    return this.#connected && !this.nc.isClosed();
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.nc.status()) {
      if (type === Events.Disconnect) this.#connected = false;
      if (type === Events.Reconnect) this.#connected = true;
    }
  }

  /** Answers PING, INFO and STATS as NATS services do, so that anyone who may ask sees who is there. */
  async announce(facts: Readonly<Record<string, string | number>>): Promise<void> {
    const metadata = Object.fromEntries(Object.entries({ pid: process.pid, ...facts }).map(([k, v]) => [k, `${v}`]));
    const service = await this.nc.services.add({ name: this.role, version, metadata });
    service.addEndpoint('serve', { subject: `serve.${this.role}.${service.info().id}` });
  }

  /** Says what is still to be said, if the server hears it. */
  async close(): Promise<void> {
    const patience = setTimeout(() => void this.nc.close(), 1_000);
    await this.nc.drain().catch(() => undefined);
    clearTimeout(patience);
    await this.nc.close(); // a drain that no server heard ends without
  }
}

interface Client {
  readonly prefix: string;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
}

/** A role reaches an account's JetStream by imported subjects that begin with the account's name. */
async function clientOf(nc: NatsConnection, { flat }: Access, account: Account): Promise<Client> {
  const prefix = flat ? '$JS.API' : `${account}.API`;
  const options = { apiPrefix: prefix, checkAPI: false, timeout: 2_000 };
  return { prefix, js: nc.jetstream(options), jsm: await nc.jetstreamManager(options) };
}
