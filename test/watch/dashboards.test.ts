// Counted is shown, and shown is counted; what is committed is what the sources make.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { files } from '../../grafana/boards.ts';
import { dashboardFiles, dashboards, metricsIn, queries, textOf } from '../support/dashboards.ts';
import { declaredMetrics } from '../support/declared.ts';
import { root } from '../support/root.ts';

const alerts = readFileSync(join(root, 'deploy', 'prometheus', 'alerts.yml'), 'utf8');

test('the dashboards are what their sources make of them ("npm run grafana" writes them)', (t) => {
  const made = files();
  t.deepEqual(dashboardFiles(), [...made.keys()].sort());
  for (const [name, text] of made) t.is(textOf(name), text, name);
});

test('every metric that is declared is on a panel', async (t) => {
  const shown = metricsIn(
    queries()
      .map(({ expr }) => expr)
      .join(' '),
  );
  for (const { name, series } of await declaredMetrics())
    t.true(
      series.some((one) => shown.has(one)),
      `${name} is on no panel`,
    );
});

test('every metric that a panel or an alert asks for is declared', async (t) => {
  const known = new Set((await declaredMetrics()).flatMap(({ series }) => series));
  for (const { of, expr } of queries()) for (const one of metricsIn(expr)) t.true(known.has(one), `${of}: ${one}`);
  for (const one of metricsIn(alerts)) t.true(known.has(one), `alerts.yml: ${one}`);
});

test('every panel says what it is and what good or bad looks like, and every alert what to do', (t) => {
  for (const { title, panels } of dashboards())
    for (const { type, title: panel, description = '' } of panels.filter(
      ({ type }) => type !== 'row' && type !== 'text',
    ))
      t.regex(description, /\b(Good|Bad): /, `${title} / ${panel} (${type})`);
  const rules = alerts.split('- alert: ').slice(1);
  t.true(rules.length >= 8);
  for (const rule of rules) t.regex(rule, /severity: (warn|page)[\s\S]*summary: [\s\S]*runbook: /, rule.slice(0, 30));
});

/** What each label may be, and how many of it there can be. */
const bounded: Readonly<Record<string, string>> = {
  run: 'the last 16 of an actor, while they are shown (kit/shown.ts)',
  actor: 'a service',
  from: 'a role',
  to: 'a service',
  act: 'an act of the route',
  outcome: 'a word, or a finding of a training',
  code: 'a failure or a finding of the protocol',
  family: 'a family of the catalogue',
  use: 'a use of families, or of pod time',
  part: 'a part of a reward',
  base_model: 'a base that a spec allows',
  stage: 'ended or learned',
  phase: 'a phase of a life',
  reason: 'what an admission waits for',
  kind: 'what is paid for',
  provider: 'a provider of the registry',
  gpu: 'a type that a provider has',
  pod: 'one of 16 places',
  runtime: 'a runtime of the registry',
  next: 'how a move ends',
  tool: 'a tool of agents',
  program: 'a process of the launcher',
  stream_name: 'a stream of the protocol',
  consumer_name: 'a consumer of the protocol',
};

test('every metric has our prefix, a sentence, and labels that can have few values only', async (t) => {
  for (const { name, help, labels } of await declaredMetrics()) {
    t.regex(name, /^uplift_[a-z0-9_]+$/);
    t.true(help.length > 10, name);
    for (const label of labels) t.true(label === 'le' || label in bounded, `${name}: ${label}`);
  }
});
