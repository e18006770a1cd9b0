import { counter, gauge, histogram } from '#kit/metrics';

export const leaseWaitSeconds = histogram('pool_lease_wait_seconds', 'Time from queueing a job until it has a pod', {
  buckets: [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600],
});
export const warmUpSeconds = histogram(
  'pool_warm_up_seconds',
  'Time from ordering a pod until it has proved that it can train',
  {
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600],
  },
);
export const podsLost = counter('pool_pods_lost_total', 'Pods that were lost or unfit, by code', ['code']);
export const strays = counter(
  'pool_strays_total',
  'Sightings of pods that the provider has and nobody owns; they are deleted',
);

/** `gpu`: "none" for pods on this machine. */
export const gauges = {
  pods: gauge('pool_pods', 'Pods by phase', ['phase', 'provider', 'gpu']),
  wanted: gauge('pool_pods_wanted', 'Number of pods that the pool wants'),
  queue: gauge('pool_queue_jobs', 'Jobs waiting for a pod'),
  queueAge: gauge('pool_queue_age_seconds', 'How long the oldest queued job has waited'),
  podSeconds: gauge('pool_pod_seconds', 'Time of all pods so far, by use', ['use', 'provider', 'gpu']),
  progress: gauge('pool_job_progress_ratio', 'Progress of the job of a pod', ['pod']),
} as const;
