import type { Panel } from '../panel.ts';
import { buckets, mean, ofRun } from '../query.ts';

export const rewards: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Reward and its parts, step by step',
    says: 'Means over the episodes of a step. Good: validity reaches 0.8 first, then uplift rises, and quality with it. Bad: high validity with an uplift of 0 for long: jobs are valid and teach nothing; or only speed rises: short trainings are preferred to good ones.',
    unit: 'percentunit',
    shows: [
      [ofRun('run_step_reward_ratio'), 'reward'],
      [ofRun('run_step_part_ratio', 'part'), '{{part}}'],
    ],
    max: 1,
    width: 12,
  },
  {
    kind: 'lines',
    title: 'Held-out families',
    says: 'Reward and uplift on families that are never trained on, at each evaluation. Good: up by 0.15 or more from the first to the last. Bad: flat while the reward rises.',
    unit: 'percentunit',
    shows: [
      [ofRun('run_held_out_reward_ratio'), 'reward'],
      [ofRun('run_held_out_uplift_ratio'), 'uplift'],
    ],
    max: 1,
    width: 12,
  },
  {
    kind: 'heat',
    title: 'Rewards of episodes',
    says: 'Distribution of rewards, all runs. Good: the mass moves up. Bad: two lasting bands, at 0 and high up: some families are never solved.',
    unit: 'none',
    shows: [buckets('evaluator_reward_ratio')],
  },
  {
    kind: 'bars',
    title: 'Uplift by family',
    says: 'Mean of what training added, as a share of what could be added; all runs, selected time. Good: above 0.3 everywhere. Bad: one family at 0 while others learn: look at its findings in the explorer.',
    unit: 'percentunit',
    shows: [[mean('evaluator_uplift_ratio', 'family'), '{{family}}']],
    limits: [
      [null, 'red'],
      [0.1, 'yellow'],
      [0.3, 'green'],
    ],
    max: 1,
  },
  {
    kind: 'bars',
    title: 'Parts of the reward',
    says: 'Means by use of the family, all runs, selected time. Good: held-out near training. Bad: held-out far below.',
    unit: 'percentunit',
    shows: [[mean('evaluator_part_ratio', 'use, part'), '{{use}} {{part}}']],
    max: 1,
  },
];
