/** Some actors of the relay as one process, to be killed: `relay-main.ts <url> <actor>...`. Says "serving" when it does. */
import type { Actor } from '#kit/actor';
import { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { agent, conductor, learner, pod, withWork } from './relay.ts';

const actors = { agent, conductor, learner, pod, withWork };
export type ActorName = keyof typeof actors;

const [, , url = '', ...names] = process.argv;
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());

async function play<S>(actor: Actor<S>): Promise<void> {
  const bus = await Bus.connect({ url, role: actor.name, flat: true });
  process.stdout.write('serving\n');
  await serve(bus, actor, { signal: stop.signal, drainSeconds: 2 });
  await bus.close();
}

await Promise.all(names.map((name) => play(actors[name as ActorName] as Actor<unknown>)));
