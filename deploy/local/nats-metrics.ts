import { z } from 'zod';
import { beforeScrape, gauge } from '#kit/metrics';

/**
 * The figures that the server reports at /varz and /jsz, as gauges with the names and labels that
 * prometheus-nats-exporter uses with `-prefix uplift_nats`, so that the same panels show both.
 */
const ofServer = {
  in_msgs: gauge('nats_varz_in_msgs', 'Messages that the server has received since its start'),
  out_msgs: gauge('nats_varz_out_msgs', 'Messages that the server has sent since its start'),
  connections: gauge('nats_varz_connections', 'Clients that are connected'),
  slow_consumers: gauge(
    'nats_varz_slow_consumers',
    'Clients that were cut off because they did not read, since its start',
  ),
  mem: gauge('nats_varz_mem', 'Memory of the server, bytes'),
  cpu: gauge('nats_varz_cpu', 'Processor use of the server, percent of one core'),
} as const;
const ofStore = {
  bytes: gauge('nats_server_total_message_bytes', 'What is stored, bytes'),
  max_storage: gauge('nats_server_max_storage', 'What may be stored, bytes'),
} as const;
const ofStream = {
  messages: gauge('nats_stream_total_messages', 'Messages in a stream', ['stream_name']),
  bytes: gauge('nats_stream_total_bytes', 'Bytes in a stream', ['stream_name']),
} as const;
const ofConsumer = {
  num_pending: gauge('nats_consumer_num_pending', 'Messages not delivered yet', ['stream_name', 'consumer_name']),
  num_ack_pending: gauge('nats_consumer_num_ack_pending', 'Messages delivered and not acknowledged', [
    'stream_name',
    'consumer_name',
  ]),
  num_redelivered: gauge(
    'nats_consumer_num_redelivered',
    'Unacknowledged messages that were delivered more than once',
    ['stream_name', 'consumer_name'],
  ),
} as const;
const answering = gauge('stack_nats_answers', 'Whether the server of this stack answered at the last scrape');
answering.remove(); // no series for a server that is not asked

const count = z.number();
const varz = z.looseObject({
  ...{ in_msgs: count, out_msgs: count, connections: count, slow_consumers: count, mem: count, cpu: count },
});
const consumer = z.looseObject({
  name: z.string(),
  num_pending: count,
  num_ack_pending: count,
  num_redelivered: count,
});
const stream = z.looseObject({
  name: z.string(),
  state: z.looseObject({ messages: count, bytes: count }),
  consumer_detail: z.array(consumer).default([]),
});
const jsz = z.looseObject({
  bytes: count,
  config: z.looseObject({ max_storage: count }),
  account_details: z.array(z.looseObject({ stream_detail: z.array(stream).default([]) })).default([]),
});
type Stream = z.infer<typeof stream>;

/** Reads the figures of the server before each scrape. Returns how to end that. */
export function watchNats(monitorUrl: string): () => void {
  return beforeScrape(async () => {
    try {
      await read(monitorUrl);
      answering.set(1);
    } catch {
      answering.set(0); // it is being started again, or is gone: an alert says so
    }
  });
}

async function read(monitorUrl: string): Promise<void> {
  const [server, store] = await Promise.all([
    ask(`${monitorUrl}/varz`, varz),
    ask(`${monitorUrl}/jsz?accounts=true&streams=true&consumers=true`, jsz),
  ]);
  for (const name of Object.keys(ofServer) as (keyof typeof ofServer)[]) ofServer[name].set(server[name]);
  ofStore.bytes.set(store.bytes);
  ofStore.max_storage.set(store.config.max_storage);
  for (const one of [...Object.values(ofStream), ...Object.values(ofConsumer)]) one.reset();
  for (const { stream_detail } of store.account_details) for (const one of stream_detail) show(one);
}

function show({ name: stream_name, state, consumer_detail }: Stream): void {
  ofStream.messages.set({ stream_name }, state.messages);
  ofStream.bytes.set({ stream_name }, state.bytes);
  for (const { name: consumer_name, ...counts } of consumer_detail)
    for (const name of Object.keys(ofConsumer) as (keyof typeof ofConsumer)[])
      ofConsumer[name].set({ stream_name, consumer_name }, counts[name]);
}

async function ask<T>(url: string, schema: z.ZodType<T>): Promise<T> {
  const response = await fetch(url, { signal: AbortSignal.timeout(900) });
  return schema.parse(await response.json());
}
