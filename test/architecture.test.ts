import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { services } from '#protocol/roles';
import { route } from '#protocol/route';
import { agent } from '../services/agent/actor.ts';
import { conductor } from '../services/conductor/actor.ts';
import { evaluator } from '../services/evaluator/actor.ts';
import { learner } from '../services/learner/actor.ts';
import { pod } from '../services/pod/actor.ts';
import { pool } from '../services/pool/actor.ts';
import { root } from './support/root.ts';

const actors = [conductor, agent, pool, pod, evaluator, learner];

const handledBy = ({ routes, edges }: (typeof actors)[number]) => [
  ...routes.map(({ message }) => ({ message, kind: 'turn' })),
  ...edges.map(({ message }) => ({ message, kind: 'edge' })),
];

const filesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const importsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, path = '']) => path);

test('every service is there, in the order of the route, and has the same shape', (t) => {
  t.deepEqual(
    actors.map(({ name }) => name),
    [...services],
  );
  for (const service of services)
    for (const file of ['main.ts', 'actor.ts'])
      t.true(filesUnder(`services/${service}`).includes(`services/${service}/${file}`));
});

test('every message of the route is handled once by each service it is addressed to', (t) => {
  for (const message of route)
    for (const service of Object.keys(message.to)) {
      const found = actors.filter(({ name }) => name === service).flatMap(handledBy);
      t.is(found.filter((one) => one.message === message).length, 1, `${service} and ${message.name}`);
    }
});

test('no service handles what is not addressed to it, and acts are done at edges only', (t) => {
  for (const actor of actors)
    for (const { message, kind } of handledBy(actor)) {
      t.true(route.includes(message), `${actor.name} handles ${message.name}, which is not in the route`);
      t.true(actor.name in message.to, `${message.name} is not addressed to ${actor.name}`);
      t.is(kind === 'edge', message.kind === 'act', message.name);
    }
});

const eachImport = (folder: string): { file: string; path: string }[] =>
  filesUnder(folder).flatMap((file) => importsOf(file).map((path) => ({ file, path })));

test('a service imports no other service, and not NATS', (t) => {
  for (const service of services)
    for (const { file, path } of eachImport(`services/${service}`)) {
      const there = path.startsWith('.') ? join(file, '..', path) : `services/${service}/`;
      t.true(there.startsWith(`services/${service}/`), `${file} imports ${path}`);
      t.not(path, 'nats', file);
    }
});

test('the kit imports no service, protocol imports zod and itself', (t) => {
  for (const { file, path } of eachImport('services/kit')) t.false(path.startsWith('..'), `${file} imports ${path}`);
  for (const { file, path } of eachImport('protocol'))
    t.true(path === 'zod' || path.startsWith('./'), `${file} imports ${path}`);
});

test('an actor decides purely: its file imports no node module', (t) => {
  for (const service of services)
    for (const path of importsOf(`services/${service}/actor.ts`))
      t.false(path.startsWith('node:'), `${service}: ${path}`);
});

test('subjects are written down in protocol, the kit and the grants, nowhere else', (t) => {
  const others = [...services.map((service) => `services/${service}`), 'services/cli', 'deploy/local'].flatMap(
    filesUnder,
  );
  for (const file of others) t.notRegex(textOf(file), /['"`](?:msg|act|later|parked|\$KV|\$JS)\./, file);
});
