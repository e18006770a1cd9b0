import {
  AckPolicy,
  type ConsumerConfig,
  connect,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import { type Access, credentials } from '#kit/access';
import type { Consumer, Stream } from '#protocol/streams';

/**
 * Creates or updates the streams and consumers of one account, as `protocol/streams.ts` declares them. Only the
 * launcher does this, with rights that no service has. Servers before 2.12 silently drop settings that they do not
 * know, so the result is read back and compared.
 */
export async function provision(access: Access, wanted: { streams: Stream[]; consumers: Consumer[] }): Promise<void> {
  const nc = await connect({
    servers: access.url,
    ...credentials(access),
  });
  try {
    const jsm = await nc.jetstreamManager({ timeout: 10_000, checkAPI: false });
    const streams = new Map<string, StreamConfig>();
    for await (const { config } of jsm.streams.list()) streams.set(config.name, config);
    await Promise.all(wanted.streams.map((stream) => ensureStream(jsm, stream, streams.get(stream.name))));
    // of two with the same name, the later one counts
    const consumers = new Map(wanted.consumers.map((one) => [consumerKey(one.stream.name, one.name), one]));
    const there = await consumersThere(jsm, wanted.consumers, streams);
    await Promise.all([...consumers].map(([key, consumer]) => ensureConsumer(jsm, consumer, there.has(key))));
  } finally {
    await nc.close();
  }
}

const streamConfig = (stream: Stream): Partial<StreamConfig> => ({
  name: stream.name,
  subjects: [...stream.subjects],
  retention: stream.retention === 'workqueue' ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
  discard: DiscardPolicy.New,
  storage: StorageType.File,
  max_age: nanos(stream.maxAgeSeconds * 1000),
  max_msgs_per_subject: stream.bucket ? 1 : -1,
  max_msg_size: stream.maxMessageBytes,
  duplicate_window: nanos(stream.duplicateWindowSeconds * 1000),
  allow_direct: true,
  num_replicas: 1,
  ...(stream.headersTo === null ? {} : { republish: { src: '>', dest: stream.headersTo, headers_only: true } }),
});

const consumerConfig = (consumer: Consumer): Partial<ConsumerConfig> => ({
  durable_name: consumer.name,
  filter_subject: consumer.filter,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: nanos(consumer.ackWaitSeconds * 1000),
  max_ack_pending: consumer.maxAckPending,
  max_deliver: -1,
});

const consumerKey = (stream: string, name: string): string => `${stream} ${name}`;

/** The consumers of streams that existed before; new streams have none. */
async function consumersThere(
  jsm: JetStreamManager,
  wanted: readonly Consumer[],
  streams: ReadonlyMap<string, unknown>,
) {
  const old = new Set(wanted.map(({ stream }) => stream.name).filter((name) => streams.has(name)));
  const keysOf = async (stream: string): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { name } of jsm.consumers.list(stream)) keys.push(consumerKey(stream, name));
    return keys;
  };
  return new Set((await Promise.all([...old].map(keysOf))).flat());
}

async function ensureStream(jsm: JetStreamManager, stream: Stream, there: StreamConfig | undefined): Promise<void> {
  const config = there ? asItWas(streamConfig(stream), there) : streamConfig(stream);
  const { config: echo } = there ? await jsm.streams.update(stream.name, config) : await jsm.streams.add(config);
  compare(`stream ${stream.name}`, config, echo);
}

/**
 * Servers before 2.10 cannot add `republish` to an existing stream, so a stream that was made without it stays without
 * it.
 */
function asItWas(
  { republish: _, ...config }: Partial<StreamConfig>,
  { republish }: StreamConfig,
): Partial<StreamConfig> {
  return republish ? { ...config, republish } : config;
}

async function ensureConsumer(jsm: JetStreamManager, { stream, ...consumer }: Consumer, isThere: boolean) {
  const config = consumerConfig({ stream, ...consumer });
  const { config: echo } = isThere
    ? await jsm.consumers.update(stream.name, consumer.name, config)
    : await jsm.consumers.add(stream.name, config);
  compare(`consumer ${consumer.name} of ${stream.name}`, config, echo);
}

function compare(what: string, wanted: object, echo: object): void {
  const got = new Map<string, unknown>(Object.entries(echo));
  for (const [name, value] of Object.entries(wanted))
    if (JSON.stringify(got.get(name)) !== JSON.stringify(value))
      throw new Error(
        `${what}: the server made ${name} ${JSON.stringify(got.get(name))}, not ${JSON.stringify(value)}`,
      );
}
