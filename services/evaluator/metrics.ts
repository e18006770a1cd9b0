import { counter, histogram } from '#kit/metrics';

export const checkSeconds = histogram('evaluator_check_seconds', 'All stages of one validation', {
  buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15],
});
export const findings = counter('evaluator_findings_total', 'Findings of validations, by code', ['code']);
export const experiments = counter(
  'evaluator_experiments_total',
  'Experiments that agents were told of, by how they ended',
  ['outcome'],
);
export const episodes = counter('evaluator_episodes_total', 'Episodes that ended, by how', ['outcome']);
