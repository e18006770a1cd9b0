import type { ExperimentResult, Move } from '#protocol/transcript';
import type { Chooser } from './chooser.ts';
import { type Plan, points } from './points.ts';

const rivals = 'rival learning_rate';

/** The same plan with another learning rate: where a training goes wrong, it is most often there. */
export function rivalOf(plan: Plan, chooser: Chooser): Plan {
  const others = points.learning_rate().filter(({ name }) => name !== plan.learning_rate);
  return { ...plan, learning_rate: chooser.choose(rivals, others) };
}

/** The rival that was tried last beside a plan. */
export function rivalTried(plan: Plan, moves: readonly Move[]): Plan {
  const tried = moves.flatMap(({ choices }) => choices).findLast(({ point }) => point === rivals);
  return { ...plan, learning_rate: tried?.options[tried.chosen]?.name ?? plan.learning_rate };
}

/** By what the probe items say; where they say nothing, the plan. The rival was tried first. */
export function better(results: readonly ExperimentResult[]): ['rival' | 'plan', ExperimentResult] {
  const [rival, plan] = results.toSorted((a, b) => a.experiment - b.experiment);
  if (!rival) throw new Error('there is nothing to compare: no experiment came back');
  return plan && worth(plan) >= worth(rival) ? ['plan', plan] : ['rival', rival];
}

const worth = (result: ExperimentResult): number =>
  result.outcome === 'trained' ? result.score : { failed: -1, invalid: -2 }[result.outcome];
