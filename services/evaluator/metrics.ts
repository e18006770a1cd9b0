import { counter, histogram } from '#kit/metrics';

const shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

export const checkSeconds = histogram('evaluator_check_seconds', 'Duration of one validation, all stages', {
  buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15],
});
export const findings = counter('evaluator_findings_total', 'Findings of validations and hidden items, by code', [
  'code',
]);
export const episodes = counter('evaluator_episodes_total', 'Episodes that ended, by outcome', [
  'outcome',
  'family',
  'use',
]);
export const failures = counter('evaluator_failures_total', 'Episodes that failed, by code', ['code']);
export const rewards = histogram('evaluator_reward_ratio', 'Reward of an episode that did not fail', {
  labelNames: ['use'],
  buckets: shares,
});
export const parts = histogram('evaluator_part_ratio', 'Parts of rewards', {
  labelNames: ['use', 'part'],
  buckets: shares,
});
export const uplifts = histogram('evaluator_uplift_ratio', 'What training added, as a share of what could be added', {
  labelNames: ['family', 'base_model'],
  buckets: [0, 0.25, 0.5, 0.75, 1],
});
export const submissions = histogram('evaluator_submissions', 'Submissions of an episode, valid or not', {
  buckets: [0, 1, 2, 3, 4],
});
export const experiments = counter(
  'evaluator_experiments_total',
  'Experiments that agents were told of, by how they ended',
  ['outcome'],
);
