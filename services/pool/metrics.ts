import { counter, gauge, histogram } from '#kit/metrics';

export const leaseWaitSeconds = histogram('pool_lease_wait_seconds', 'From a job queued to its lease of a pod', {
  buckets: [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600],
});
export const warmUpSeconds = histogram('pool_warm_up_seconds', 'From a pod ordered to the proof that it can train', {
  buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600],
});
export const podsLost = counter('pool_pods_lost_total', 'Pods that were lost, or never became fit, by why', ['code']);
export const strays = counter('pool_strays_total', 'Pods that the provider had and nobody owned; they are ended');

/** Of the pods there are; what rents them has another `gpu` than "none". */
export const gauges = {
  pods: gauge('pool_pods', 'Pods by where they are in their life', ['phase', 'provider', 'gpu']),
  wanted: gauge('pool_pods_wanted', 'Pods that there shall be'),
  queue: gauge('pool_queue_jobs', 'Jobs that wait for a pod'),
  queueAge: gauge('pool_queue_age_seconds', 'How long the oldest of them has waited'),
  podSeconds: gauge('pool_pod_seconds', 'Time of all pods there ever were, by what it was used for', [
    'use',
    'provider',
    'gpu',
  ]),
  progress: gauge('pool_job_progress_ratio', 'How far the job of a pod is', ['pod']),
} as const;
