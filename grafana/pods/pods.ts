import type { Panel } from '../panel.ts';
import { buckets, rate, spread, total } from '../query.ts';

export const there: readonly Panel[] = [
  {
    kind: 'stack',
    title: 'Pods',
    says: 'By where they are in their life. Good: mostly leased, a few ready. Bad: creating or terminating for minutes: the provider does not deliver, or does not end what it is paid for.',
    unit: 'none',
    shows: [
      ['sum by (phase, provider, gpu) (uplift_pool_pods)', '{{phase}} {{provider}} {{gpu}}'],
      ['max(uplift_pool_pods_wanted)', 'wanted'],
    ],
  },
  {
    kind: 'lines',
    title: 'Useful share of pod time',
    says: 'Of the time that pods were there, how much was spent in training; over ten minutes. Good: above 0.85 with 16 pods. Bad: below 0.5 while jobs wait: warm-up, grading or losses eat it; while none wait: there are too many pods.',
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
    says: 'How far the job of each pod is. Good: they move. Bad: one that stands still for minutes; it is taken away after two.',
    unit: 'percentunit',
    shows: [['max by (pod) (uplift_pool_job_progress_ratio)', '{{pod}}']],
    max: 1,
  },
  {
    kind: 'lines',
    title: 'Pods lost',
    says: 'Such as died, or never became fit, by why. Good: none. Bad: several of one code: an image or a machine type is wrong.',
    unit: 'none',
    shows: [['sum by (code) (increase(uplift_pool_pods_lost_total[$__rate_interval]))', '{{code}}']],
  },
  {
    kind: 'number',
    title: 'Pods that nobody owned',
    says: 'Sightings of pods at the provider that the pool did not know; each is ended. Good: 0, or one or two after a crash. Bad: it goes on: they are paid for and cannot be ended.',
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
    says: 'From a pod ordered to the proof that it can train. Good: as short as its kind allows (seconds here, minutes when rented). Bad: a second band far above the first.',
    unit: 's',
    shows: [buckets('pool_warm_up_seconds')],
  },
];

export const queue: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Queue',
    says: 'Jobs that wait for a pod. Good: up at the beginning of a step, then 0. Bad: never 0: more pods would help, if there is money.',
    unit: 'none',
    shows: [['max(uplift_pool_queue_jobs)', 'jobs']],
  },
  {
    kind: 'lines',
    title: 'Age of the oldest job that waits',
    says: 'Good: below the length of a training. Bad: rising steadily while pods are ready: a job that no pod can take.',
    unit: 's',
    shows: [['max(uplift_pool_queue_age_seconds)', 'age']],
  },
  {
    kind: 'lines',
    title: 'Wait for a lease',
    says: 'From a job queued to its lease of a pod. Good: half of them below a second. Bad: longer than the trainings themselves.',
    unit: 's',
    shows: spread('pool_lease_wait_seconds'),
  },
  {
    kind: 'lines',
    title: 'From a job accepted to its first step',
    says: 'Good: below 0.5 s on this machine. Bad: seconds: the workspace is slow to fetch, or the runtime to load.',
    unit: 's',
    shows: spread('pod_first_step_seconds', 'runtime'),
  },
  {
    kind: 'lines',
    title: 'Trainings',
    says: 'How long one takes. Good: near the reference of its spec. Bad: as long as its limit: jobs ask for more than they are given.',
    unit: 's',
    shows: spread('pod_training_seconds', 'runtime'),
  },
  {
    kind: 'lines',
    title: 'Tokens',
    says: "Sampled and trained on, a second, by all pods. Good: in proportion to the pods at work. Bad: falls with as many pods: they are in each other's way.",
    unit: 'ops',
    shows: [[rate('pod_training_tokens_total', 'runtime'), '{{runtime}}']],
  },
];
