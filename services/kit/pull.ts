import type { Consumer } from '#protocol/streams';
import type { Bus } from './bus.ts';
import { sleep } from './clock.ts';
import { log } from './log.ts';
import { type Delivery, isPassing, toDelivery } from './nats.ts';

export interface Pull {
  /** Receives no more; resolves when the last `handle` has ended. */
  stop(): Promise<void>;
  /** Rejects when pulling cannot go on. */
  readonly ended: Promise<void>;
}

type Handle = (delivery: Delivery) => Promise<void> | undefined;

/**
 * Calls `handle` for each message of a consumer, fetching at most `batch` ahead; if it returns a promise, waits for it.
 */
export function pull(bus: Bus, consumer: Consumer, { batch, handle }: { batch: number; handle: Handle }): Pull {
  const run = { stopped: false, close: (): void => undefined };
  // a pull does not notice by itself that its connection was closed for good
  void bus.nc.closed().then(() => run.close());
  const ended = (async () => {
    while (!run.stopped && !bus.nc.isClosed()) {
      await once(bus, consumer, { batch, handle, run }).catch(rethrowUnlessPassing);
      if (!run.stopped) await sleep(250);
    }
  })();
  const stop = async (): Promise<void> => {
    run.stopped = true;
    run.close();
    await ended;
  };
  return { stop, ended };
}

interface Run {
  stopped: boolean;
  close: () => void;
}

async function once(bus: Bus, consumer: Consumer, how: { batch: number; handle: Handle; run: Run }): Promise<void> {
  const messages = await bus.messages(consumer, how.batch);
  how.run.close = () => messages.close();
  if (how.run.stopped) messages.close();
  for await (const message of messages) await how.handle(toDelivery(message));
}

/** The consumer may not exist yet, or the server may be away: both pass. */
function rethrowUnlessPassing(error: unknown): void {
  if (!isPassing(error)) throw error;
  log.warn({ error: String(error) }, 'pulling was interrupted; trying again');
}
