import type { JsMsg } from 'nats';
import type { Bus } from '#kit/bus';
import type { Messages } from '#kit/nats';

/** Every publish fails once. Every other one was stored all the same, and only the answer was lost. */
export function failEachPublishOnce(bus: Bus, failed: Set<string>): Bus {
  const publish = bus.publish.bind(bus);
  bus.publish = async (out) => {
    if (failed.has(out.id)) return await publish(out);
    failed.add(out.id);
    if (failed.size % 2 === 0) await publish(out);
    throw new Error('a publish that fails');
  };
  return bus;
}

/** The acknowledgement of every message is lost once: the server hands it out again. */
export function loseEachAckOnce(bus: Bus, lost: Set<string>): Bus {
  const messages = bus.messages.bind(bus);
  bus.messages = async (consumer, batch) => {
    const source = await messages(consumer, batch);
    const each = (message: JsMsg): void => {
      const place = `${consumer.stream.name} ${message.seq}`;
      if (!lost.has(place)) message.ack = () => void lost.add(place);
    };
    return { close: () => source.close(), [Symbol.asyncIterator]: () => seen(source, each) };
  };
  return bus;
}

async function* seen(source: Messages, each: (message: JsMsg) => void): AsyncGenerator<JsMsg> {
  for await (const message of source) {
    each(message);
    yield message;
  }
}
