import { createHash } from 'node:crypto';
import { answerTokens } from '#protocol/training';
import { version } from '#protocol/version';
import { loadBase } from '#runtime/micro/base';
import { generate } from '#runtime/micro/train';
import type { Known } from './catalogue.ts';
import type { Item } from './family.ts';
import { secretId, seedOf } from './secret.ts';

/** Hidden items per spec: enough to know an uplift of 0.5 to within about 0.08. */
const hiddenCount = 100;

export const hiddenItems = ({ family, parameters }: Known): Item[] =>
  family.items(seedOf('hidden'), parameters, hiddenCount);

/** Probe items per spec: enough to tell a good training from a poor one. */
const probeCount = 50;

/** The probe items of a spec; none of them is a hidden item. */
export function probeItems(known: Known): Item[] {
  const hidden = new Set(hiddenItems(known).map(({ prompt }) => prompt));
  const drawn = known.family.items(seedOf('probe'), known.parameters, hiddenCount + probeCount);
  return drawn.filter(({ prompt }) => !hidden.has(prompt)).slice(0, probeCount);
}

/** Base model → score of each hidden item, in order. */
export type Baselines = Record<string, number[]>;

/** A hash of what the baselines of a spec depend on: while it is the same, they are still valid. */
export async function fingerprintOf({ spec, family, parameters }: Known): Promise<string> {
  const bases = await Promise.all(spec.limits.baseModels.map(async (name) => [name, (await loadBase(name)).hash]));
  const parts = [version, bases, family.name, parameters, secretId(), hiddenCount, answerTokens];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/**
 * Measures the untrained base models: spec id → scores. Many specs are measured at once, because they share most of
 * their prompts.
 */
export async function measure(specs: readonly Known[], signal: AbortSignal): Promise<Map<string, Baselines>> {
  const answers = new Map<string, ReadonlyMap<string, string>>();
  for (const base of new Set(specs.flatMap(({ spec }) => spec.limits.baseModels))) {
    const asking = specs.filter(({ spec }) => spec.limits.baseModels.includes(base));
    answers.set(base, await answersOf(base, asking, signal));
  }
  return new Map(specs.map((known) => [known.spec.id, scored(known, answers)]));
}

async function answersOf(base: string, asking: readonly Known[], signal: AbortSignal): Promise<Map<string, string>> {
  const prompts = [...new Set(asking.flatMap(hiddenItems).map(({ prompt }) => prompt))];
  const { weights } = await loadBase(base);
  const completions = await generate(weights, prompts, { temperature: 0, maxTokens: answerTokens, seed: 0, signal });
  return new Map(prompts.map((prompt, at) => [prompt, completions[at] ?? '']));
}

function scored(known: Known, answers: ReadonlyMap<string, ReadonlyMap<string, string>>): Baselines {
  const items = hiddenItems(known);
  const scores = (base: string): number[] =>
    items.map((item) => known.family.score(item, answers.get(base)?.get(item.prompt) ?? ''));
  return Object.fromEntries(known.spec.limits.baseModels.map((base) => [base, scores(base)]));
}
