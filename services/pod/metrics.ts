import { counter, histogram } from '#kit/metrics';

// A pod counts what it does as it does it: a training that is repeated is counted again.

export const trainings = counter(
  'pod_trainings_total',
  'Trainings that ended: trained, or the code of what the job did wrong',
  ['runtime', 'outcome'],
);
export const firstStepSeconds = histogram('pod_first_step_seconds', 'Time from accepting a job until its first step', {
  labelNames: ['runtime'],
  buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15],
});
export const trainingSeconds = histogram(
  'pod_training_seconds',
  'Duration of one training, from its first step to its last',
  {
    labelNames: ['runtime'],
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600],
  },
);
export const tokens = counter('pod_training_tokens_total', 'Tokens that were sampled and trained on', ['runtime']);
