/** Some actors of the relay as one process, to be killed: `relay-main.ts <url> <actor>...`. Says "serving" when it does. */
import type { Actor } from '#kit/actor';
import { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { agent, conductor, learner, pod, withWork } from './relay.ts';
import { worker } from './work.ts';

const actors = { agent, conductor, learner, pod, withWork, worker };
export type ActorName = keyof typeof actors;

const drainSeconds = 2;

const [, , url = '', ...names] = process.argv;
const cast = names.map((name) => actors[name as ActorName] as Actor<unknown>);
const buses = await Promise.all(cast.map(({ name }) => Bus.connect({ url, role: name, flat: true })));
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
process.stdout.write('serving\n');
const serving = { signal: stop.signal, drainSeconds };
await Promise.all(cast.map((actor, index) => serve(buses[index] as Bus, actor, serving)));
await Promise.all(buses.map((bus) => bus.close()));
