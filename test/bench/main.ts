/** `npm run bench`: the kit's figures as one JSON document. Two noisy cores: quote the ratios, made within one run. */
import { cpus } from 'node:os';
import { binary, flatHouse } from '../support/house.ts';
import { stackOn } from '../support/stack.ts';
import { codec } from './codec.ts';
import { routeOverhead } from './route.ts';
import { quietKeys, turns } from './turns.ts';

const undo: (() => unknown)[] = [];
const t = { teardown: (work: () => unknown) => void undo.push(work) };
const note = (line: string): void => void process.stderr.write(`${line}\n`);

try {
  note('codec …');
  const sample = codec();
  const { server, bus } = await flatHouse(t, 'current');
  note(`turns, on nats-server ${(await binary('current')).version} (a minute or so) …`);
  const operator = await bus('operator');
  const turning = await turns(operator);
  note('quiet keys …');
  const quiet = await quietKeys(operator);
  note('the route …');
  const route = await routeOverhead((await stackOn({ ...t, log: note }, 'current', 1)).operator);
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? '', cores: cpus().length, nats: server.version };
  const figures = { machine, turns: turning, route, quietKeys: quiet, codec: sample };
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
} finally {
  for (const work of undo.reverse()) await work();
}
