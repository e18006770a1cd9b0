import { randomBytes } from 'node:crypto';
import type { Bus } from '#kit/bus';
import { sleep } from '#kit/clock';
import { tell } from '#kit/tell';
import { getValue } from '#kit/values';
import { baselinesWanted, type Comparison, comparison } from '#protocol/verdict';
import { red, say, sayJson, table, warn } from './say.ts';

/** Longer than measuring all base models takes on a busy machine. */
const mostSeconds = 300;

type Row = Comparison['baselines'][number];

/**
 * Measures the base models and prints their scores. False: they could not be measured, or differ from what is pinned.
 */
export async function baselines(bus: Bus, { check, json }: { check: boolean; json: boolean }): Promise<boolean> {
  const found = await measureBaselines(bus, check);
  const drifts = check ? driftsIn(found.baselines) : [];
  if (json) sayJson({ ...found, drifts });
  else for (const line of table([heading, ...found.baselines.map(cells)])) say(line);
  if (found.failure) warn(red(`not measured: ${found.failure.code}: ${found.failure.detail}`));
  for (const drift of drifts) warn(red(drift));
  return !found.failure && drifts.length === 0;
}

/** Has the evaluator measure: hidden items never leave it. */
export async function measureBaselines(bus: Bus, check: boolean): Promise<Comparison> {
  const request = randomBytes(9).toString('base64url');
  await tell(bus, baselinesWanted, { request, check });
  for (const began = performance.now(); performance.now() - began < mostSeconds * 1000; await sleep(50)) {
    const found = await getValue(bus, comparison, `baselines.${request}`);
    if (found) return found;
  }
  throw new Error(`the evaluator has not answered for ${mostSeconds} s: "npx uplift ps" shows whether one is running`);
}

const digits = (score: number | null): string => (score === null ? '-' : score.toFixed(3));

const heading = ['spec', 'family', 'model', 'pinned', 'measured'];
const cells = ({ spec, family, model, pinned, measured }: Row): string[] => [
  ...[spec, family, model, digits(pinned), digits(measured)],
];

const remedy = 'run "npx uplift baselines"';

/** A sentence for each score that differs from what is pinned. */
export const driftsIn = (rows: readonly Row[]): string[] =>
  rows.flatMap(({ spec, family, model, pinned, measured, drifted }) => {
    const of = `${spec} (${family}): ${model}`;
    if (pinned === null) return [`${of} scores ${digits(measured)}, and nothing is pinned: ${remedy}`];
    if (drifted === 0) return [];
    return [
      `${of} is pinned at ${digits(pinned)} and scores ${digits(measured)}, ${drifted} items differ: if that is intended, ${remedy}`,
    ];
  });
