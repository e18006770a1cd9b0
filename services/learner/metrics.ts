import { counter, gauge, histogram } from '#kit/metrics';

export const updates = counter('learner_updates_total', 'Updates of policies');
export const staleness = histogram(
  'learner_staleness_steps',
  'Staleness of samples: versions between a sample and the policy that learned from it',
  {
    buckets: [0, 1, 2, 3, 4, 8, 16],
  },
);
/** If both stages have the same distribution, slow episodes are learned from as often as fast ones. */
export const episodeSeconds = histogram(
  'learner_episode_seconds',
  'Duration of training episodes, of all that ended and of those learned from',
  {
    labelNames: ['stage'],
    buckets: [1, 2, 5, 10, 20, 40, 60, 120, 300, 600, 1_800, 3_600, 10_800],
  },
);

const ofRun = (name: string, help: string) => gauge(`learner_${name}`, help, ['run']);

/** Of the last update of a run. */
export const lastUpdate = {
  loss: ofRun('loss', 'Loss before the last update'),
  kl: ofRun('kl_nats', 'Divergence of the learning policy from the one that chose, mean over choices'),
  ratio: ofRun('importance_ratio', 'Probability of a choice now, over that when it was made, mean over choices'),
  clipped: ofRun('clipped_ratio', 'Share of the choices whose ratio was clipped'),
  entropy: ofRun('entropy_nats', 'Entropy of the policy, mean over choices'),
  gradientNorm: ofRun('gradient_norm', 'Norm of the gradient'),
  samples: ofRun('samples', 'Episodes that the last update learned from'),
  stalenessMax: ofRun('staleness_max_steps', 'Staleness of the oldest sample of the last update'),
} as const;
export const waiting = ofRun('waiting_episodes', 'Ended episodes that wait for their step');
