import { z } from 'zod';
import type { Service } from '#protocol/roles';
import type { Actor } from './actor.ts';
import { Bus } from './bus.ts';
import { ConfigError, commonKnobs, readConfig } from './config.ts';
import { serveHttp } from './http.ts';
import { log } from './log.ts';
import { collectProcessMetrics } from './metrics.ts';
import { serve } from './serve.ts';

/**
 * The process of a service: reads its configuration and serves its actor; on SIGTERM or SIGINT it finishes what it has
 * begun.
 */
export const run = <S>({ actor }: { actor: Actor<S> }): Promise<void> => runWith(actor.name, commonKnobs, () => actor);

/** The same for an actor that is made from the knobs of its service, which include the common ones. */
export async function runWith<S, K extends typeof commonKnobs>(
  service: Service,
  knobs: K,
  actorOf: (config: Readonly<z.infer<z.ZodObject<K>>>) => Actor<S>,
): Promise<void> {
  const all = configured(service, knobs);
  const config = z.object(commonKnobs).parse(all);
  const { drainSeconds, place } = config;
  const actor = actorOf(all);
  delete process.env.UPLIFT_NATS_PASSWORD; // no child of this process needs it
  const bus = await Bus.connect({
    url: config.natsUrl,
    role: actor.name,
    user: config.natsUser,
    password: config.natsPassword,
    flat: config.natsFlat,
  });
  collectProcessMetrics();
  const http = await serveHttp(config.httpPort, () => ({ ok: bus.connected, service: actor.name, pid: process.pid }));
  await bus.announce({ http: http.port });
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  bus.nc.closed().then((error) => {
    if (!stop.signal.aborted) die(error ?? new Error('the connection to NATS was closed'));
  }, die);
  log.info({ service: actor.name, http: http.port }, 'serving');
  await serve(bus, actor, { signal: stop.signal, drainSeconds, place });
  stop.abort();
  http.close();
  await bus.close();
  log.info({ service: actor.name }, 'stopped');
}

function configured<K extends z.ZodRawShape>(role: string, knobs: K): Readonly<z.infer<z.ZodObject<K>>> {
  try {
    return readConfig(role, knobs, { env: process.env, file: process.env.UPLIFT_CONFIG });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.fatal(error.message);
    process.exit(2);
  }
}

/** The launcher starts another process; nothing that matters is only in this one. */
function die(error: unknown): never {
  log.fatal({ error: String(error) }, 'cannot go on');
  process.exit(1);
}
