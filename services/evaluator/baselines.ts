import type { Call } from '#kit/actor';
import type { BodyOf } from '#protocol/message';
import { catalogueTold, type catalogueWanted } from '#protocol/run';
import {
  baseline,
  baselineMeasured,
  baselinesCompared,
  type baselinesWanted,
  type Comparison,
} from '#protocol/verdict';
import { catalogue, type Known } from './catalogue.ts';
import { type Baselines, fingerprintOf, measure } from './measure.ts';
import { mean } from './uplift.ts';

/** Edge: tells the specs. Pinned baselines that are still valid stay; all others are measured first. */
export async function tellCatalogue({ run }: BodyOf<typeof catalogueWanted>, call: Call): Promise<void> {
  const all = [...catalogue.values()];
  const pinned = await Promise.all(all.map((known) => pinnedOf(known, call)));
  const missing = all.filter((_, at) => pinned[at] === undefined);
  const measured = await measure(missing, call.signal);
  for (const known of missing) await pin(known, measured, call);
  call.send(catalogueTold, { run, specs: all.map(({ spec }) => spec) });
}

/** The pinned scores, if what they depend on has not changed. */
export async function pinnedOf(known: Known, call: Pick<Call, 'read'>): Promise<Baselines | undefined> {
  const [there, fingerprint] = await Promise.all([read(known, call), fingerprintOf(known)]);
  return there?.fingerprint === fingerprint ? there.scores : undefined;
}

const read = ({ spec }: Known, call: Pick<Call, 'read'>) => call.read(baseline, `baseline.${spec.id}`);

async function pin(known: Known, measured: ReadonlyMap<string, Baselines>, call: Call): Promise<void> {
  const scores = measured.get(known.spec.id) ?? {};
  call.send(baselineMeasured, { spec: known.spec.id, scores, fingerprint: await fingerprintOf(known) });
}

/** Edge: measures all baselines, and compares them with the pinned ones, even if those depend on something else. */
export async function compareBaselines({ request, check }: BodyOf<typeof baselinesWanted>, call: Call): Promise<void> {
  const all = [...catalogue.values()];
  const pinned = await Promise.all(all.map((known) => read(known, call)));
  const measured = await measure(all, call.signal);
  if (!check) for (const known of all) await pin(known, measured, call);
  const baselines = all.flatMap((known, at) => compare(known, pinned[at]?.scores, measured.get(known.spec.id) ?? {}));
  call.send(baselinesCompared, { request, baselines, failure: null });
}

const compare = (
  { spec, family }: Known,
  pinned: Baselines | undefined,
  measured: Baselines,
): Comparison['baselines'] =>
  Object.entries(measured).map(([model, scores]) => {
    const before = pinned?.[model];
    return {
      ...{ spec: spec.id, family: family.name, model },
      pinned: before ? mean(before) : null,
      measured: mean(scores),
      drifted: before ? scores.filter((score, item) => score !== before[item]).length : 0,
    };
  });
