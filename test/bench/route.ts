import type { Bus } from '#kit/bus';
import { probeRoute } from '../../services/cli/probe.ts';
import { type Spread, spread } from './figures.ts';

/** The first ones find caches empty and code that was never run. */
const warmUp = 20;

/**
 * What the route costs an episode: all its hops through six services in processes of their own, two acts and a blob among
 * them, without mind and training. By the server's clock, so whoever waits for the result adds nothing.
 */
export async function routeOverhead(operator: Bus, count = 200): Promise<{ probes: number; milliseconds: Spread }> {
  const times: number[] = [];
  for (let n = -warmUp; n < count; n += 1) {
    const { result, milliseconds } = await probeRoute(operator, 30);
    if (result.phase !== 'home') throw new Error(`a probe was lost: ${result.failure?.detail}`);
    if (n >= 0) times.push(milliseconds);
  }
  return { probes: count, milliseconds: spread(times) };
}
