import { connect, Events, type JetStreamClient, type JetStreamManager, type NatsConnection } from 'nats';
import type { Account } from '#protocol/roles';
import { bucketName, type Consumer, type Stream } from '#protocol/streams';
import { version } from '#protocol/version';
import { type Access, credentials, inboxPrefixOf } from './access.ts';
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

/** A stream of the server. */
type Place = Pick<Stream, 'account' | 'name'>;

/** Somebody else wrote first. */
export class Conflict extends Error {}

export interface Loaded {
  readonly data: Uint8Array;
  readonly revision: number;
}

/**
 * Everything that a running process does with NATS. All calls wait until an outage is over; none fails because of one.
 */
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

  /**
   * Resolves when the server has stored it. Publishing an id again stores nothing. Throws only if no retry can help.
   */
  async publish(out: Outgoing): Promise<void> {
    const headers = toHeaders(out);
    const { duplicate } = await untilAnswered(async () =>
      toPubAck(await this.#replies.ask(out.subject, out.data, headers)),
    );
    countPublish(out, duplicate);
  }

  /**
   * Writes bytes under a key; returns the new revision. Throws `Conflict` if somebody else has written since
   * `expected`.
   */
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
        // the answer to an earlier try may have been lost: then what is stored is what we wrote
        const there = unsure ? await this.load(bucket, key) : undefined;
        if (there && Buffer.compare(there.data, data) === 0) return there.revision;
        throw new Conflict(`${subject}: expected ${JSON.stringify(expected)}`);
      }
    });
  }

  /** The bytes under a key, and their revision; undefined if nothing was ever written. */
  async load(bucket: Place, key: string): Promise<Loaded | undefined> {
    const found = await this.#get(bucket, { subject: `$KV.${bucketName(bucket)}.${key}` });
    return found && { data: found.data, revision: found.seq };
  }

  /** The first message at or after `from` whose subject matches. */
  async next(stream: Place, filter: string, from: number): Promise<Stored | undefined> {
    return await this.#get(stream, { next_by_subj: filter, seq: from });
  }

  /** The newest message of a subject. */
  async last(stream: Place, subject: string): Promise<Stored | undefined> {
    return await this.#get(stream, { subject });
  }

  /** A direct get. Asking by subject can be granted for single subjects; the other form only for a whole stream. */
  async #get({ account, name }: Place, query: { subject: string } | { next_by_subj: string; seq: number }) {
    const prefix = `${this.#clients[account].prefix}.DIRECT.GET.${name}`;
    const [subject, body] = 'subject' in query ? [`${prefix}.${query.subject}`, ''] : [prefix, JSON.stringify(query)];
    return await untilAnswered(async () => fromDirectGet(await this.#replies.ask(subject, body)));
  }

  /**
   * Where a consumer stands: all up to `floor` is acknowledged, and `deliverySeq` deliveries have reached `delivered`.
   */
  async standing({ stream, name }: Consumer): Promise<Standing> {
    const { ack_floor, delivered } = await untilAnswered(async () =>
      (await this.#clients[stream.account].js.consumers.get(stream.name, name)).info(true),
    );
    const { stream_seq, consumer_seq } = delivered;
    return { floor: ack_floor.stream_seq, delivered: stream_seq, deliverySeq: consumer_seq, server: this.server };
  }

  /** The id of the server's process: it changes when the server is restarted. */
  get server(): string {
    return this.nc.info?.server_id ?? '';
  }

  /**
   * The messages of a consumer as they arrive, at most `batch` of them unhandled. Throws if there is no such consumer.
   */
  async messages({ stream, name }: Consumer, batch: number): Promise<Messages> {
    return await messagesOf(await this.#clients[stream.account].js.consumers.get(stream.name, name), batch);
  }

  /** Deletes one message from a stream, if it is still there. */
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

  /** Answers PING, INFO and STATS as NATS services do, so that people see which processes are there. */
  async announce(facts: Readonly<Record<string, string | number>>): Promise<void> {
    const metadata = Object.fromEntries(Object.entries({ pid: process.pid, ...facts }).map(([k, v]) => [k, `${v}`]));
    const service = await this.nc.services.add({ name: this.role, version, metadata });
    service.addEndpoint('serve', { subject: `serve.${this.role}.${service.info().id}` });
  }

  /** Sends what is still buffered, if the server answers within a second, and closes the connection. */
  async close(): Promise<void> {
    const patience = setTimeout(() => void this.nc.close(), 1_000);
    await this.nc.drain().catch(() => undefined);
    clearTimeout(patience);
    await this.nc.close(); // a drain that no server answered does not close it
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
