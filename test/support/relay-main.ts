/** One actor of the relay as a process, to be killed: `relay-main.ts <service> <url>`. Says "serving" when it serves. */
import { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { agent, conductor, learner, pod } from './relay.ts';

const [, , name = '', url = ''] = process.argv;
const found = [agent, conductor, learner].find((one) => one.name === name);
const bus = await Bus.connect({ url, role: name, flat: true });
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
process.stdout.write('serving\n');
const serving = { signal: stop.signal, drainSeconds: 2 };
if (found) await serve(bus, found, serving);
else await serve(bus, pod, serving);
await bus.close();
