import type { Saved } from '#kit/actor';
import { made, said } from '#kit/saved';
import { findingsTold } from '#protocol/episode';
import { experimentTold } from '#protocol/experiment';
import { failureCodes } from '#protocol/failure';
import { findingCodes } from '#protocol/finding';
import { experimentResult } from '#protocol/transcript';
import { type Verdict, verdict } from '#protocol/verdict';
import { catalogue } from './catalogue.ts';
import { episodes, experiments, failures, findings, parts, rewards, submissions, uplifts } from './metrics.ts';
import type { State } from './state.ts';

// to Prometheus, a series that first appears at 1 has not risen: so foreseeable series start at 0
for (const code of Object.keys(findingCodes)) findings.inc({ code }, 0);
for (const code of Object.keys(failureCodes)) failures.inc({ code }, 0);
for (const { shape } of experimentResult.options) experiments.inc({ outcome: shape.outcome.value }, 0);
for (const { spec, family } of catalogue.values()) {
  const { name, use } = family;
  for (const outcome of ['scored', 'invalid', 'failed']) episodes.inc({ outcome, family: name, use }, 0);
  for (const base_model of spec.limits.baseModels) uplifts.zero({ family: name, base_model });
}

/** Counts a saved turn: the verdict that it set, or the findings that it told. */
export function countTurn(turn: Pick<Saved<State>, 'sent'>): void {
  const ended = made(turn, verdict);
  if (ended) countEpisode(ended);
  for (const told of said(turn, findingsTold)) for (const { code } of told.findings) findings.inc({ code });
  for (const { result } of said(turn, experimentTold)) {
    experiments.inc({ outcome: result.outcome });
    if (result.outcome === 'invalid') for (const { code } of result.findings) findings.inc({ code });
  }
}

function countEpisode(ended: Verdict): void {
  const { outcome, family, use, reward, failure, baseModel } = ended;
  episodes.inc({ outcome, family, use });
  if (failure) failures.inc({ code: failure.code });
  if (reward === null) return;
  rewards.observe({ use }, reward);
  const scored = outcome === 'scored';
  submissions.observe(ended.invalid + (scored ? 1 : 0));
  for (const part of ['validity', 'quality', 'speed'] as const) parts.observe({ use, part }, ended.parts?.[part] ?? 0);
  if (!scored) return;
  uplifts.observe({ family, base_model: baseModel ?? 'unknown' }, ended.parts?.uplift ?? 0);
  // the findings of an invalid episode were counted when they were told
  for (const { code } of ended.findings) findings.inc({ code });
}
