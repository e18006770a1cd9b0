import type { Panel } from '../panel.ts';
import { buckets, ofRun, spread } from '../query.ts';

export const pacing: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Staleness of the oldest sample',
    says: 'Versions between the oldest sample of a step and what learned from it. Good: at most what the run allows (2 where nothing is said). It cannot be more: a value above that is a bug.',
    unit: 'none',
    shows: [
      [ofRun('learner_staleness_max_steps'), 'last update'],
      [ofRun('run_step_staleness_max_steps'), 'last complete step'],
    ],
  },
  {
    kind: 'heat',
    title: 'Staleness of all samples',
    says: 'Good: most at 0 and 1. Bad: all at the bound: pacing holds the run up, see "Held".',
    unit: 'none',
    shows: [buckets('learner_staleness_steps')],
  },
  {
    kind: 'lines',
    title: 'Held',
    says: 'Share of the time in which the next group might not begin, by what it waited for. "room": enough is under way, which is how it should be. Bad: "staleness" above 0.5: pods stand idle because one slow group keeps the next policy from being made.',
    unit: 'percentunit',
    shows: [['max by (reason) (avg_over_time(uplift_run_admission_held{run="$run"}[$__rate_interval]))', '{{reason}}']],
    max: 1,
  },
  {
    kind: 'lines',
    title: 'Is it fair to slow episodes?',
    says: 'How long episodes took that have ended, and those that were learned from. Good: both curves lie on each other. Bad: "learned" below "ended": slow episodes are lost, and the policy learns to be quick instead of good.',
    unit: 's',
    shows: spread('learner_episode_seconds', 'stage'),
  },
  {
    kind: 'lines',
    title: 'Under way and waiting',
    says: 'Episodes that have begun and not ended, and such as have ended and wait for their step. Good: both go up and down with the steps. Bad: "under way" stays above 0 and nothing ends.',
    unit: 'none',
    shows: [
      [ofRun('run_episodes_under_way'), 'under way'],
      [ofRun('learner_waiting_episodes'), 'waiting'],
    ],
  },
  {
    kind: 'lines',
    title: 'Time of a step',
    says: 'From the end of the one before. Good: steady. Bad: growing: fewer pods, slower jobs, or more attempts.',
    unit: 's',
    shows: [[ofRun('run_step_seconds'), 'seconds']],
  },
];
