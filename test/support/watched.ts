/** A real Prometheus beside a stack, and whether everything that is asked of it has an answer. */

import { dirname } from 'node:path';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import type { Stack } from '../../deploy/local/stack.ts';
import { startWatch } from '../../deploy/local/watch.ts';
import { queries } from './dashboards.ts';
import { until } from './house.ts';
import { prometheusHere } from './prometheus.ts';
import { pause } from './story.ts';

/** Between two looks of Prometheus: a run of half a minute would be seen six times by the usual five. */
export const lookSeconds = 1;

/** What has no value in a run in which all goes well: a piece of a query, and why. */
const mayBeEmpty: Readonly<Record<string, string>> = {
  'rate(uplift_redeliveries_total': 'nothing was handed out twice',
  'increase(uplift_parked_total': 'nothing was parked',
  uplift_evaluator_uplift_ratio_sum: 'the few episodes that were scored may all lie between a look and a kill',
  'uplift_pool_pods_lost_total[15s])) > 0': 'no pod was lost between two looks',
};

export interface Watched {
  /** Undefined: there is no Prometheus here. */
  readonly url: string | undefined;
  readonly from: number;
}

export async function watched(t: ExecutionContext, stack: Stack, home: string): Promise<Watched> {
  const from = Date.now() / 1000;
  const programs = await prometheusHere(t);
  if (!programs) return { url: undefined, from };
  const env = { PATH: dirname(programs.prometheus) };
  const watch = await startWatch(stack, {
    home,
    env,
    onLine: (line) => t.log(line),
    ports: { prometheus: 0, grafana: 0 },
    lookSeconds,
  });
  t.teardown(() => watch.stop());
  return { url: watch.prometheus?.url, from };
}

const answer = z.looseObject({
  status: z.string(),
  error: z.string().optional(),
  data: z
    .looseObject({ result: z.array(z.looseObject({ values: z.array(z.tuple([z.number(), z.string()])) })) })
    .optional(),
});
const rules = z.looseObject({
  data: z.looseObject({
    groups: z.array(
      z.looseObject({ rules: z.array(z.looseObject({ name: z.string(), query: z.string(), health: z.string() })) }),
    ),
  }),
});

async function ask(url: string, path: string, query: Record<string, string>): Promise<unknown> {
  return await (await fetch(`${url}/api/v1/${path}?${new URLSearchParams(query)}`)).json();
}

/** As Grafana fills a query in. */
const filled = (expr: string, run: string): string =>
  expr.replaceAll('$run', run).replaceAll('$__rate_interval', '30s').replaceAll('$__range', '10m');

/** What is wrong with a query over the whole of a run; undefined: it has an answer. */
async function fault({ url, from }: Watched, { of, expr }: { of: string; expr: string }): Promise<string | undefined> {
  const span = { start: String(from), end: String(Date.now() / 1000), step: '1s' };
  const { status, error, data } = answer.parse(await ask(url ?? '', 'query_range', { query: expr, ...span }));
  if (status !== 'success') return `${of}: ${expr}: ${error}`;
  const has = data?.result.some(({ values }) => values.some(([, value]) => value !== 'NaN'));
  const reason = Object.keys(mayBeEmpty).find((piece) => expr.includes(piece));
  return has || reason !== undefined ? undefined : `${of}: ${expr} has no value`;
}

/** Every query of a dashboard, and every alert with its comparisons turned into 0 and 1, has a value somewhere in a run. */
export async function everyQueryAnswers(t: ExecutionContext, there: Watched, run: string): Promise<void> {
  const { url } = there;
  if (url === undefined) return;
  const { data } = rules.parse(await ask(url, 'rules', { type: 'alert' }));
  const alerts = data.groups.flatMap((group) => group.rules);
  t.true(alerts.length >= 8);
  for (const { name, health } of alerts) t.is(health, 'ok', name);
  const asked = [
    ...queries().map(({ of, expr }) => ({ of, expr: filled(expr, run) })),
    ...alerts.map(({ name, query }) => ({ of: name, expr: query.replace(/(?<![=!])(>=?|<=?|==)(?!~)/g, '$1 bool') })),
  ];
  let left = asked.map((one) => ({ ...one, fault: '' }));
  const answered = async (): Promise<boolean> => {
    const looked = await Promise.all(left.map(async (one) => ({ ...one, fault: (await fault(there, one)) ?? '' })));
    left = looked.filter((one) => one.fault !== '');
    if (left.length > 0) await pause(1_000); // until the next look there is nothing new
    return left.length === 0;
  };
  const faults = (): string[] => left.map((one) => one.fault);
  await until('every query has an answer', answered, 30).catch(() => t.deepEqual(faults(), []));
}
