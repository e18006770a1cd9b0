import type { ExperimentResult, Move } from '#protocol/transcript';
import type { Chooser } from './chooser.ts';
import { type Plan, points } from './points.ts';

const rivals = 'rival learning_rate';

/** The same plan with another learning rate, which is the most frequent cause of a bad training. */
export function rivalOf(plan: Plan, chooser: Chooser): Plan {
  const others = points.learning_rate().filter(({ name }) => name !== plan.learning_rate);
  return { ...plan, learning_rate: chooser.choose(rivals, others) };
}

/** The rival that was last tried beside a plan. */
export function rivalTried(plan: Plan, moves: readonly Move[]): Plan {
  const tried = moves.flatMap(({ choices }) => choices).findLast(({ point }) => point === rivals);
  return { ...plan, learning_rate: tried?.options[tried.chosen]?.name ?? plan.learning_rate };
}

/**
 * The one with the better score on the probe items, or the plan if they are equal. The rival's number is the lower one.
 */
export function better(results: readonly ExperimentResult[]): ['rival' | 'plan', ExperimentResult] {
  const [rival, plan] = results.toSorted((a, b) => a.experiment - b.experiment);
  if (!rival) throw new Error('there is nothing to compare: no experiment came back');
  return plan && worth(plan) >= worth(rival) ? ['plan', plan] : ['rival', rival];
}

const worth = (result: ExperimentResult): number =>
  result.outcome === 'trained' ? result.score : { failed: -1, invalid: -2 }[result.outcome];
