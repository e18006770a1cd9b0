import type { Panel } from '../panel.ts';
import { buckets, rate, spread, total } from '../query.ts';

export const there: readonly Panel[] = [
  {
    kind: 'stack',
    title: 'Pods',
    says: 'By phase. Good: mostly leased, a few ready. Bad: creating or terminating for minutes: the provider does not deliver pods, or does not end them.',
    unit: 'none',
    shows: [
      ['sum by (phase, provider, gpu) (uplift_pool_pods)', '{{phase}} {{provider}} {{gpu}}'],
      ['max(uplift_pool_pods_wanted)', 'wanted'],
    ],
  },
  {
    kind: 'lines',
    title: 'Useful share of pod time',
    says: 'Share of the time of pods that was spent training, over ten minutes. Good: above 0.85 with 16 pods. Bad: below 0.5. If jobs wait, warm-up, grading or losses use up the rest; if none wait, there are too many pods.',
    unit: 'percentunit',
    shows: [
      [
        'sum(delta(uplift_pool_pod_seconds{use="training"}[10m])) / sum(delta(uplift_pool_pod_seconds[10m]))',
        'training',
      ],
    ],
    limits: [
      [null, 'red'],
      [0.5, 'yellow'],
      [0.85, 'green'],
    ],
    max: 1,
  },
  {
    kind: 'bars',
    title: 'Jobs under way',
    says: 'Progress of the job of each pod. Good: it moves. Bad: one stands still for minutes; after two minutes its pod is ended.',
    unit: 'percentunit',
    shows: [['max by (pod) (uplift_pool_job_progress_ratio)', '{{pod}}']],
    max: 1,
  },
  {
    kind: 'lines',
    title: 'Pods lost',
    says: 'Pods that died or were unfit, by code. Good: none. Bad: several with one code: the image or machine type is wrong.',
    unit: 'none',
    shows: [['sum by (code) (increase(uplift_pool_pods_lost_total[$__rate_interval]))', '{{code}}']],
  },
  {
    kind: 'number',
    title: 'Pods that nobody owned',
    says: 'Sightings of pods at the provider that the pool did not know; each is deleted. Good: 0, or one or two after a crash. Bad: it keeps rising: they cost money and cannot be deleted.',
    unit: 'none',
    shows: [[total('pool_strays_total'), 'sightings']],
    limits: [
      [null, 'green'],
      [3, 'red'],
    ],
    width: 4,
  },
  {
    kind: 'heat',
    title: 'Warm-up',
    says: 'Time from ordering a pod until it has proved that it can train. Good: as short as its kind allows (seconds here, minutes when rented). Bad: a second band far above the first.',
    unit: 's',
    shows: [buckets('pool_warm_up_seconds')],
  },
];

export const queue: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Queue',
    says: 'Jobs waiting for a pod. Good: up at the beginning of a step, then 0. Bad: never 0: more pods would help.',
    unit: 'none',
    shows: [['max(uplift_pool_queue_jobs)', 'jobs']],
  },
  {
    kind: 'lines',
    title: 'Age of the oldest waiting job',
    says: 'Good: below the length of a training. Bad: rising steadily while pods are ready: a job that no pod can take.',
    unit: 's',
    shows: [['max(uplift_pool_queue_age_seconds)', 'age']],
  },
  {
    kind: 'lines',
    title: 'Wait for a lease',
    says: 'Time from queueing a job until it has a pod. Good: half below a second. Bad: longer than the trainings themselves.',
    unit: 's',
    shows: spread('pool_lease_wait_seconds'),
  },
  {
    kind: 'lines',
    title: 'Time to the first step of a job',
    says: 'Since the pod has accepted it. Good: below 0.5 s on this machine. Bad: seconds: fetching the workspace or loading the runtime is slow.',
    unit: 's',
    shows: spread('pod_first_step_seconds', 'runtime'),
  },
  {
    kind: 'lines',
    title: 'Duration of a training',
    says: 'Good: near the reference of its spec. Bad: at its limit: jobs need more time than they have.',
    unit: 's',
    shows: spread('pod_training_seconds', 'runtime'),
  },
  {
    kind: 'lines',
    title: 'Tokens',
    says: 'Tokens sampled and trained on per second, all pods. Good: in proportion to the pods at work. Bad: falls while the number of pods does not: they slow each other down.',
    unit: 'ops',
    shows: [[rate('pod_training_tokens_total', 'runtime'), '{{runtime}}']],
  },
];
