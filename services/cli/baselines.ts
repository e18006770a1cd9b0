import { randomBytes } from 'node:crypto';
import type { Bus } from '#kit/bus';
import { sleep } from '#kit/clock';
import { getValue } from '#kit/values';
import { pack } from '#kit/wire';
import { seal } from '#protocol/message';
import { baselinesWanted, type Comparison, comparison } from '#protocol/verdict';
import { red, say, sayJson, table, warn } from './say.ts';

/** Longer than all base models take on a busy machine. */
const mostSeconds = 300;

/** Measures the base models, through the evaluator: the hidden items never leave it. False: something is not as pinned. */
export async function baselines(bus: Bus, { check, json }: { check: boolean; json: boolean }): Promise<boolean> {
  const found = await measured(bus, check);
  const drifted = check ? found.baselines.filter(({ pinned, drifted }) => pinned === null || drifted > 0) : [];
  if (json) sayJson({ ...found, drifted: drifted.length });
  else for (const line of table(rowsOf(found))) say(line);
  if (found.failure) warn(red(`not measured: ${found.failure.code}: ${found.failure.detail}`));
  for (const one of drifted) warn(red(driftOf(one)));
  return !found.failure && drifted.length === 0;
}

async function measured(bus: Bus, check: boolean): Promise<Comparison> {
  const request = randomBytes(9).toString('base64url');
  for (const { subject, schema, body } of seal(baselinesWanted, { request, check }, 'operator'))
    await bus.publish({ id: request, cause: null, due: null, failure: null, subject, schema, data: pack(body) });
  for (const began = performance.now(); performance.now() - began < mostSeconds * 1000; await sleep(50)) {
    const found = await getValue(bus, comparison, `baselines.${request}`);
    if (found) return found;
  }
  throw new Error(`the evaluator has measured nothing for ${mostSeconds} s: is one running? "npx uplift ps" tells`);
}

const digits = (score: number | null): string => (score === null ? '-' : score.toFixed(3));

const rowsOf = ({ baselines }: Comparison): (string | number)[][] => [
  ['spec', 'family', 'model', 'pinned', 'measured'],
  ...baselines.map(({ spec, family, model, pinned, measured }) => [
    ...[spec, family, model, digits(pinned), digits(measured)],
  ]),
];

const driftOf = ({ spec, family, model, pinned, measured, drifted }: Comparison['baselines'][number]): string =>
  pinned === null
    ? `${spec} (${family}): nothing is pinned for ${model}, which gets ${digits(measured)}: run "npx uplift baselines"`
    : `${spec} (${family}): ${model} is pinned at ${digits(pinned)} and gets ${digits(measured)} now, ` +
      `${drifted} items differ: run "npx uplift baselines" if that is meant to be so`;
