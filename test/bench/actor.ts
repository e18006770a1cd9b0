/** The relay's agent as a process of its own; told "heap" on standard input, it collects garbage and answers in bytes. */
import { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { agent } from '../support/relay.ts';

const bus = await Bus.connect({ url: process.argv[2] ?? '', role: agent.name, flat: true });
process.stdin.on('data', () => {
  globalThis.gc?.();
  process.stdout.write(`${process.memoryUsage().heapUsed}\n`);
});
process.stdin.on('end', () => process.exit(0));
process.stdout.write('serving\n');
await serve(bus, agent, { signal: new AbortController().signal, drainSeconds: 1 });
