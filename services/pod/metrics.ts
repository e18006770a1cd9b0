import { counter, histogram } from '#kit/metrics';

export const trainings = counter('pod_trainings_total', 'Trainings that came to their end, by whose fault it was', [
  'runtime',
  'outcome',
]);
export const firstStepSeconds = histogram('pod_first_step_seconds', 'From a job accepted to its first step', {
  labelNames: ['runtime'],
  buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15],
});
