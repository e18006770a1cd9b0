import type { Panel } from '../panel.ts';
import { ofRun, total } from '../query.ts';

export const update: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Divergence',
    says: 'KL divergence between the policy that chose and the one that learns, mean over choices. Good: below 0.1 nats. Bad: above 0.3 for several steps: samples are too stale or steps too large, and the next thing to fall is the reward.',
    unit: 'none',
    shows: [[ofRun('learner_kl_nats'), 'KL']],
    limits: [
      [null, 'green'],
      [0.3, 'red'],
    ],
  },
  {
    kind: 'lines',
    title: 'Ratio and clipping',
    says: 'Mean importance ratio, and the share of choices whose ratio was clipped. Good: ratio near 1, clipped below 0.2. Bad: more than 0.4 clipped: much of what was sampled teaches nothing.',
    unit: 'none',
    shows: [
      [ofRun('learner_importance_ratio'), 'ratio'],
      [ofRun('learner_clipped_ratio'), 'clipped'],
    ],
    limits: [
      [null, 'green'],
      [0.4, 'yellow'],
    ],
  },
  {
    kind: 'lines',
    title: 'Entropy',
    says: 'Of the policy, mean over choices. Good: falls slowly. Bad: near 0 early: it has stopped exploring; or never falls: it learns nothing.',
    unit: 'none',
    shows: [[ofRun('learner_entropy_nats'), 'entropy']],
  },
  {
    kind: 'lines',
    title: 'Loss',
    says: 'Before each update. Its sign and size say little by themselves. Bad: NaN, or jumps by orders of magnitude.',
    unit: 'none',
    shows: [[ofRun('learner_loss'), 'loss']],
  },
  {
    kind: 'lines',
    title: 'Gradient',
    says: 'Its norm. Good: of one order of magnitude, falling in the long run. Bad: 0: all episodes of each group have the same reward; or spikes: one sample dominates a step.',
    unit: 'none',
    shows: [[ofRun('learner_gradient_norm'), 'norm']],
  },
  {
    kind: 'lines',
    title: 'Policy and samples',
    says: 'Newest version, and number of episodes that the last update learned from. Good: one version per step; as many samples as a step has episodes, or a few fewer. Bad: far fewer: episodes fail.',
    unit: 'none',
    shows: [
      [ofRun('run_policy_version'), 'version'],
      [ofRun('learner_samples'), 'samples'],
      [total('learner_updates_total'), 'updates, all runs'],
    ],
  },
];
