// The alert rules, by Prometheus' own tool.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { execute } from '../../deploy/nats/install/command.ts';
import { prometheusHere } from '../support/prometheus.ts';
import { root } from '../support/root.ts';

const cwd = join(root, 'deploy', 'prometheus');
const textOf = (file: string): string => readFileSync(join(cwd, file), 'utf8');

test('promtool finds the configuration and the rules right, and each rule fires when it should and not before', async (t) => {
  t.timeout(200_000);
  const programs = await prometheusHere(t);
  if (!programs) return t.pass();
  const promtool = (...args: string[]): Promise<string> =>
    execute(programs.promtool, args, { env: process.env, cwd, timeoutMs: 60_000 });
  t.regex(await promtool('check', 'rules', 'alerts.yml'), /SUCCESS/);
  t.regex(await promtool('check', 'config', 'prometheus.yml'), /SUCCESS/);
  t.regex(await promtool('test', 'rules', 'alerts.test.yml'), /SUCCESS/);
});

test('each alert is seen firing in the tests of the rules', (t) => {
  const rules = [...textOf('alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const seen = [...textOf('alerts.test.yml').matchAll(/alertname="(\w+)"/g)].map(([, name]) => name);
  t.deepEqual([...new Set(seen)].sort(), rules.sort());
});
