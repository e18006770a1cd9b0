import type { Finding } from '#protocol/finding';
import type { Task } from '#protocol/workspace';
import { dryRun } from '#runtime/environment/dry-run';
import { type Environment, loadEnvironment } from '#runtime/environment/environment';
import { EnvironmentFault, fault } from '#runtime/environment/fault';
import { defaultLimits } from '#runtime/environment/limits';
import { loadBase } from '#runtime/micro/base';
import { orAbort } from '#runtime/micro/drive';
import { generate } from '#runtime/micro/train';
import type { Known } from './catalogue.ts';
import { filesOf } from './files.ts';
import { redTeam, type Sample } from './red-team.ts';
import { checkFiles, type JobFiles } from './static.ts';

/** The result of a validation: a job, or why it is not one. */
export interface Checked {
  readonly findings: Finding[];
  readonly job: (Pick<Task, 'runtime' | 'baseModel'> & { readonly seconds: number }) | null;
}
export interface Chance {
  /** Seed of the base model's completions: the same for the same bytes, so that a verdict can be reproduced. */
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Time limit of the dry run and the red team together; default: `mostTrialMs`. */
  readonly trialMs?: number;
}

/**
 * A hundred times what an honest job needs, and half of what its act may take. So a job whose every call is slow gets a
 * finding; if it made the act overrun instead, its episode would fail, and nothing would be learned from it.
 */
const mostTrialMs = 30_000;

/** Most findings that are reported: enough to work on, and small enough for a message. */
const mostFindings = 20;
/** Prompts of the dry run. */
const dryPrompts = 12;
/**
 * Prompts of the red team, and completions of each: enough for a base model that is right one time in ten to be right
 * at least once.
 */
const [redPrompts, samplesOfEach] = [8, 8];
/**
 * Prompts on which suspicions are confirmed: among 64 words of 3 lengths, 36 have the same length once in 3,000 draws.
 */
const freshPrompts = 64;
/** Seeds of prompts; those of the dry run are 1 and 2. */
const [redSeed, freshSeed] = [3, 4];

/** The four stages of validation, on exactly these bytes; it stops after the first stage that finds something. */
export async function check(blob: Uint8Array, known: Known, chance: Chance): Promise<Checked> {
  const files = filesOf(blob);
  if (!(files instanceof Map)) return refused([files as Finding]);
  const { id: spec, limits } = known.spec;
  const checked = checkFiles(files, { spec, limits });
  if ('findings' in checked) return refused(checked.findings);
  const { job } = checked;
  const findings = await tryOut(job, known, chance);
  if (findings.length > 0) return refused(findings);
  const { runtime, baseModel } = job.task;
  return { findings: [], job: { runtime, baseModel, seconds: limits.seconds } };
}

const refused = (findings: readonly Finding[]): Checked => ({ findings: findings.slice(0, mostFindings), job: null });

async function tryOut(
  job: JobFiles,
  known: Known,
  { seed, signal, trialMs = mostTrialMs }: Chance,
): Promise<Finding[]> {
  signal.throwIfAborted();
  const slow = new AbortController();
  const timer = setTimeout(() => slow.abort(tooSlow(trialMs)), trialMs);
  const loads = [0, 1].map(() => loadEnvironment(job.environment, defaultLimits));
  try {
    const both = AbortSignal.any([signal, slow.signal]);
    return await orAbort(tryBoth(loads, { job, known, chance: { seed, signal: both } }), both);
  } catch (error) {
    if (error instanceof EnvironmentFault) return [error.finding];
    throw error;
  } finally {
    clearTimeout(timer);
    for (const loaded of await Promise.allSettled(loads))
      if (loaded.status === 'fulfilled') await loaded.value.dispose();
  }
}

const tooSlow = (ms: number): EnvironmentFault =>
  fault('environment/time', `its calls took more than ${ms / 1000} s in all during validation: do less in each`);

interface Trial {
  readonly job: JobFiles;
  readonly known: Known;
  readonly chance: Chance;
}

async function tryBoth(loads: Promise<Environment>[], { job, known, chance }: Trial): Promise<Finding[]> {
  const [one, other] = (await Promise.all(loads)) as [Environment, Environment];
  const trial = dryRun([one, other], dryPrompts);
  // at the same time, because it is other work; its error counts only if the dry run finds nothing
  const sampling = sample(job, one, chance);
  sampling.catch(() => undefined);
  const found = await trial;
  if (found.length > 0) return found;
  const fresh = (): Promise<string[]> => one.prompts(freshSeed, freshPrompts);
  return await redTeam(one.rewards, await sampling, { floor: known.family.floor, fresh });
}

/** Completions by the base model that the job starts from, on the job's own prompts. */
async function sample({ task, train }: JobFiles, environment: Environment, chance: Chance): Promise<Sample[]> {
  const prompts = await environment.prompts(redSeed, redPrompts);
  const { weights } = await loadBase(task.baseModel);
  const asked = [...new Set(prompts)].flatMap((prompt) => Array.from({ length: samplesOfEach }, () => prompt));
  const completions = await generate(weights, asked, { ...chance, temperature: 1, maxTokens: train.max_tokens });
  return asked.map((prompt, at) => ({ prompt, completion: completions[at] ?? '' }));
}
