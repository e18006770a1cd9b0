import { counter, gauge, histogram } from '#kit/metrics';

export const updates = counter('learner_updates_total', 'Updates of policies');
export const staleness = histogram('learner_staleness_steps', 'Versions between a sample and what learned from it', {
  buckets: [0, 1, 2, 3, 4, 8, 16],
});
export const clippedShare = gauge('learner_clipped_ratio', 'Share of the choices of the last update that were clipped');
