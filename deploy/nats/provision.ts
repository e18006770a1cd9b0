import {
  AckPolicy,
  type ConsumerConfig,
  connect,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import { type Access, credentials } from '#kit/bus';
import type { Consumer, Stream } from '#protocol/streams';

/**
 * Creates what `protocol/streams.ts` names, in one account, or brings it to what is said there. Only the launcher does
 * this, with rights that no service has. Servers before 2.12 drop what they do not know without a word, so what was
 * created is read back and compared.
 */
export async function provision(access: Access, wanted: { streams: Stream[]; consumers: Consumer[] }): Promise<void> {
  const nc = await connect({
    servers: access.url,
    ...credentials(access),
  });
  try {
    const jsm = await nc.jetstreamManager({ timeout: 10_000 });
    for (const stream of wanted.streams) await ensureStream(jsm, stream);
    // of two with one name the later counts
    const consumers = new Map(wanted.consumers.map((one) => [`${one.stream.name} ${one.name}`, one]));
    await Promise.all([...consumers.values()].map((consumer) => ensureConsumer(jsm, consumer)));
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

async function ensureStream(jsm: JetStreamManager, stream: Stream): Promise<void> {
  const there = await orMissing(jsm.streams.info(stream.name));
  const config = there ? asItWas(streamConfig(stream), there.config) : streamConfig(stream);
  const { config: echo } = there ? await jsm.streams.update(stream.name, config) : await jsm.streams.add(config);
  compare(`stream ${stream.name}`, config, echo);
}

/** Servers before 2.10 do not let a stream begin to say its headers once more: one that was made without goes on without. */
function asItWas(
  { republish: _, ...config }: Partial<StreamConfig>,
  { republish }: StreamConfig,
): Partial<StreamConfig> {
  return republish ? { ...config, republish } : config;
}

async function ensureConsumer(jsm: JetStreamManager, consumer: Consumer): Promise<void> {
  const config = consumerConfig(consumer);
  const there = await orMissing(jsm.consumers.info(consumer.stream.name, consumer.name));
  const { config: echo } = there
    ? await jsm.consumers.update(consumer.stream.name, consumer.name, config)
    : await jsm.consumers.add(consumer.stream.name, config);
  compare(`consumer ${consumer.name} of ${consumer.stream.name}`, config, echo);
}

/** 10059 stream not found, 10014 consumer not found. */
async function orMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  return await asked.catch((error) => {
    if (error instanceof NatsError && [10059, 10014].includes(error.api_error?.err_code ?? 0)) return undefined;
    throw error;
  });
}

function compare(what: string, wanted: object, echo: object): void {
  const got = new Map<string, unknown>(Object.entries(echo));
  for (const [name, value] of Object.entries(wanted))
    if (JSON.stringify(got.get(name)) !== JSON.stringify(value))
      throw new Error(
        `${what}: the server made ${name} ${JSON.stringify(got.get(name))}, not ${JSON.stringify(value)}`,
      );
}
