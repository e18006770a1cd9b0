/**
 * An actor as a process of its own, whose turn is a save and one send; told "heap" on standard input, it collects garbage
 * and answers in bytes.
 */
import { z } from 'zod';
import { actor } from '#kit/actor';
import { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { command, token } from '#protocol/message';
import { numberTold } from '../support/relay.ts';

const body = { run: token, key: token, n: z.int() };
const numberPassed = command('number-passed', { from: ['agent'], to: { conductor: '{run}.{key}' }, body });

const agent = actor('agent', { sum: z.int() }, { sum: 0 }).on(numberTold, ({ sum }, told, turn) => {
  turn.send(numberPassed, told);
  return { sum: sum + told.n };
});

const bus = await Bus.connect({ url: process.argv[2] ?? '', role: agent.name, flat: true });
process.stdin.on('data', () => {
  globalThis.gc?.();
  process.stdout.write(`${process.memoryUsage().heapUsed}\n`);
});
process.stdin.on('end', () => process.exit(0));
process.stdout.write('serving\n');
await serve(bus, agent, { signal: new AbortController().signal, drainSeconds: 1 });
