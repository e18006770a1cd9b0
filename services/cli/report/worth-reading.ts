import type { Verdict } from '#protocol/verdict';
import { rated, rewardOf } from './run-data.ts';

/** An episode to show in full, and why. */
export interface Pick {
  readonly why: string;
  readonly verdict: Verdict;
}

const most = 10;

type Rule = readonly [
  why: string,
  of: (all: readonly Verdict[]) => readonly Verdict[],
  worth?: (one: Verdict) => number,
];

const scored = (all: readonly Verdict[]): Verdict[] =>
  all.filter(({ outcome, use }) => outcome === 'scored' && use !== 'impossible');
const training = (all: readonly Verdict[]): Verdict[] => scored(all).filter(({ purpose }) => purpose === 'training');
const heldOut = (all: readonly Verdict[]): Verdict[] => scored(all).filter(({ purpose }) => purpose === 'evaluation');
const gain = ({ parts }: Verdict): number => (parts ? parts.after - parts.before : 0);

/** Each rule takes the episode with the greatest worth that no rule before has taken; without a worth, the first. */
const rules: readonly Rule[] = [
  ['best reward', scored, rewardOf],
  ['most improved', scored, gain],
  ['worst that was scored', scored, (one) => -rewardOf(one)],
  [
    'a score that cannot be',
    (all) => all.filter(({ findings }) => findings.some(({ code }) => code === 'score/impossible')),
  ],
  ['invalid', (all) => all.filter(({ outcome }) => outcome === 'invalid')],
  ['failed', (all) => all.filter(({ outcome }) => outcome === 'failed')],
  ['early', training],
  ['late', (all) => training(all).toReversed()],
  ['repaired', (all) => scored(all).filter(({ invalid }) => invalid > 0), ({ invalid }) => invalid],
  ['tried first', (all) => scored(all).filter(({ jobs }) => jobs > 1), rewardOf],
  ['held out, before', heldOut],
  ['held out, best of the last', lastOf, rewardOf],
  ['trained in vain', training, (one) => (one.seconds ?? 0) * (1 - rewardOf(one))],
];

function lastOf(all: readonly Verdict[]): Verdict[] {
  const last = Math.max(...heldOut(all).map(({ policy }) => policy));
  return heldOut(all).filter(({ policy }) => policy === last);
}

/** At most ten different episodes: one for each rule, then some spread over the run. */
export function worthReading(verdicts: readonly Verdict[]): Pick[] {
  const picks: Pick[] = [];
  const taken = new Set<string>();
  const take = (why: string, verdict: Verdict | undefined): void => {
    if (!verdict || picks.length === most) return;
    picks.push({ why, verdict });
    taken.add(verdict.episode);
  };
  const free = (all: readonly Verdict[]): Verdict[] => all.filter(({ episode }) => !taken.has(episode));
  for (const [why, of, worth = () => 0] of rules)
    take(
      why,
      free(of(verdicts)).reduce<Verdict | undefined>(
        (top, one) => (top && worth(top) >= worth(one) ? top : one),
        undefined,
      ),
    );
  const rest = free(rated(verdicts));
  const wanted = Math.min(most - picks.length, rest.length);
  for (let n = 0; n < wanted; n += 1) take('on the way', rest[Math.floor(((n + 0.5) * rest.length) / wanted)]);
  return picks;
}
