import { Bus } from '#kit/bus';
import type { PodScale } from '#protocol/pod';
import { type Service, services } from '#protocol/roles';
import { homeOf } from '../../deploy/local/home.ts';
import { type Stack, startStack } from '../../deploy/local/stack.ts';
import { startWatch, type Watch } from '../../deploy/local/watch.ts';
import { scaleText } from './pods.ts';
import { hopsOf, probeRoute } from './probe.ts';
import { bold, dim, green, red, say, table, UsedWrongly } from './say.ts';
import { untilTold } from './told.ts';

/** `pod=2` → { pod: 2 } */
export function parseReplicas(texts: readonly string[]): Partial<Record<Service, number>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', count = ''] = text.split('=');
      const service = services.find((one) => one === name);
      if (service === 'pod')
        throw new UsedWrongly(`--replicas ${text}: pods are created by the pool; say how many with --pods`);
      if (!service)
        throw new UsedWrongly(`--replicas ${text}: "${name}" is not a service; they are ${services.join(', ')}`);
      if (!/^[1-9]\d?$/.test(count))
        throw new UsedWrongly(`--replicas ${text}: "${count}" is not a number from 1 to 99`);
      return [service, Number(count)];
    }),
  );
}

interface UpOptions {
  readonly replicas: Partial<Record<Service, number>>;
  readonly pods: PodScale;
  readonly watch: boolean;
}

/** Starts everything, shows that the route works, and stays until it is told to stop. */
export async function up({ replicas, pods, watch }: UpOptions): Promise<void> {
  const home = homeOf(process.env);
  const told = untilTold();
  const ended = new Promise<void>((resolve) => told.addEventListener('abort', () => resolve(), { once: true }));
  const onLine = (line: string): void => say(dim(line));
  const stack = await startStack({ home, env: process.env, replicas, pods, onLine });
  let watching: Watch | undefined;
  try {
    say(`${bold('nats')}      ${stack.nats ? `${stack.nats.version} at ${stack.url}` : `your own, at ${stack.url}`}`);
    if (!stack.nats) say(red('          without our accounts: every role can read and write everything there'));
    say(`${bold('services')}  ${stack.programs.map(({ name }) => name).join(' ')}`);
    say(`${bold('pods')}      ${scaleText(pods)} wanted`);
    if (watch) watching = await startWatch(stack, { home, env: process.env, onLine });
    if (watching) sayWatch(watching);
    await Promise.race([showRoute(stack, told), ended, stack.failed]);
    if (!told.aborted) {
      say(
        `\n${green('Up.')} Everything is kept in ${home}, logs of each process in ${home}/logs. Ctrl-C stops everything.`,
      );
      say(dim('In another terminal: npx uplift top · npx uplift train · npx uplift --help'));
    }
    await Promise.race([ended, stack.failed]);
  } finally {
    say('\nstopping …');
    await watching?.stop();
    await stack.stop();
    say('stopped; nothing is left running');
  }
}

/** Says where to look, or what is missing. */
function sayWatch({ prometheus, missing, grafana, compose }: Watch): void {
  const queriesOnly = prometheus?.hasPages ? '' : dim('  (only for queries: its web pages need an installed package)');
  if (prometheus) say(`${bold('watch')}     Prometheus at ${prometheus.url}${queriesOnly}`);
  else say(red(`watch     no Prometheus: ${missing}`));
  if (grafana) say(`          Grafana at ${grafana.url}`);
  else
    say(
      `          no Grafana is installed here. This starts both in containers, Grafana at http://127.0.0.1:3000:\n  ${compose}`,
    );
}

async function showRoute(stack: Stack, told: AbortSignal): Promise<void> {
  const bus = await Bus.connect(stack.access('operator'));
  told.addEventListener('abort', () => void bus.nc.close(), { once: true }); // gives up a probe under way, which would wait for a server that is gone
  try {
    say(dim('a probe travels the route …'));
    await probeRoute(bus, 60); // the first one waits for every service to be there
    const { result, milliseconds } = await probeRoute(bus, 30);
    if (result.phase !== 'home') return say(red(`the probe was lost: ${result.failure?.detail}`));
    const rows = hopsOf(result).map(({ from, to, milliseconds }) => [`  ${from} → ${to}`, milliseconds, 'ms']);
    for (const line of table(rows)) say(line);
    say(`  the whole route, there and back: ${Math.round(milliseconds)} ms`);
  } finally {
    await bus.close();
  }
}
