import type { Verdict } from '#protocol/verdict';
import { type Estimate, estimate, meanOf } from './interval.ts';
import { grouped, type RunData, rated, rewardOf, upliftOf } from './run-data.ts';

/** The evaluation of one version of the policy on the held-out families. */
export interface Evaluation {
  readonly policyVersion: number;
  readonly reward: Estimate;
  readonly uplift: Estimate;
  readonly failed: number;
}

/** In the order of the versions. */
export function evaluationsOf({ verdicts }: RunData): Evaluation[] {
  const taken = verdicts.filter(({ purpose, use }) => purpose === 'evaluation' && use === 'held-out');
  const versions = [...new Set(taken.map(({ policy }) => policy))].sort((a, b) => a - b);
  return versions.map((policyVersion) => {
    const here = taken.filter(({ policy }) => policy === policyVersion);
    const counted = rated(here);
    return {
      policyVersion,
      reward: estimate(counted.map(rewardOf)),
      uplift: estimate(counted.map(upliftOf)),
      failed: here.length - counted.length,
    };
  });
}

/** Before: of the policy that has learned nothing. After: of the last version; null if it was not evaluated. */
export function heldOutOf(data: RunData): { before: Evaluation | null; after: Evaluation | null } {
  const measured = evaluationsOf(data).filter(({ reward }) => reward.count > 0);
  const at = (version: number): Evaluation | null =>
    measured.find(({ policyVersion }) => policyVersion === version) ?? null;
  return { before: at(0), after: data.record.policyVersion > 0 ? at(data.record.policyVersion) : null };
}

export interface FamilyUplift {
  readonly family: string;
  readonly heldOut: boolean;
  /** Mean uplift, 0 to 1; null: there was no such episode. */
  readonly before: number | null;
  readonly after: number | null;
  readonly episodes: number;
}

/** For a training family: the first and the last quarter of the versions. For a held-out one: the two evaluations. */
export function familiesOf({ verdicts, record }: RunData): FamilyUplift[] {
  const last = record.policyVersion;
  const quarter = Math.ceil(last / 4);
  return [
    ...grouped(
      rated(verdicts).filter(({ use }) => use !== 'impossible'),
      ({ family }) => family,
    ),
  ]
    .map(([family, all]) => {
      const trained = all.filter(({ purpose }) => purpose === 'training');
      const heldOut = all[0]?.use === 'held-out';
      const of = heldOut ? all : trained;
      const early = ({ policy }: Verdict): boolean => (heldOut ? policy === 0 : policy < Math.max(1, quarter));
      const late = ({ policy }: Verdict): boolean =>
        heldOut ? policy === last && last > 0 : last > 1 && policy >= last - quarter;
      const uplift = (which: typeof early): number | null => {
        const found = of.filter(which);
        return found.length === 0 ? null : meanOf(found.map(upliftOf));
      };
      return { family, heldOut, before: uplift(early), after: uplift(late), episodes: of.length };
    })
    .sort((a, b) => Number(b.heldOut) - Number(a.heldOut) || (b.after ?? -1) - (a.after ?? -1));
}
