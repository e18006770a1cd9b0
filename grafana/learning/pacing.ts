import type { Panel } from '../panel.ts';
import { buckets, ofRun, spread } from '../query.ts';

export const pacing: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Staleness of the oldest sample',
    says: 'Versions between the oldest sample of a step and the policy that learned from it. Good: at most what the run allows (2 by default). A greater value is a bug.',
    unit: 'none',
    shows: [
      [ofRun('learner_staleness_max_steps'), 'last update'],
      [ofRun('run_step_staleness_max_steps'), 'last complete step'],
    ],
  },
  {
    kind: 'heat',
    title: 'Staleness of all samples',
    says: 'Good: most at 0 and 1. Bad: all at the limit: pacing slows the run down, see "Held".',
    unit: 'none',
    shows: [buckets('learner_staleness_steps')],
  },
  {
    kind: 'lines',
    title: 'Held',
    says: 'Share of the time in which the next group could not begin, by reason. "room": enough episodes are under way, as it should be. Bad: "staleness" above 0.5: pods are idle because one slow group delays the next policy.',
    unit: 'percentunit',
    shows: [['max by (reason) (avg_over_time(uplift_run_admission_held{run="$run"}[$__rate_interval]))', '{{reason}}']],
    max: 1,
  },
  {
    kind: 'lines',
    title: 'Is it fair to slow episodes?',
    says: 'Duration of all ended episodes, and of those learned from. Good: both curves coincide. Bad: "learned" below "ended": slow episodes are lost, and the policy learns to be quick instead of good.',
    unit: 's',
    shows: spread('learner_episode_seconds', 'stage'),
  },
  {
    kind: 'lines',
    title: 'Under way and waiting',
    says: 'Episodes that have not ended, and ended ones that wait for their step. Good: both rise and fall with the steps. Bad: "under way" stays above 0 and nothing ends.',
    unit: 'none',
    shows: [
      [ofRun('run_episodes_under_way'), 'under way'],
      [ofRun('learner_waiting_episodes'), 'waiting'],
    ],
  },
  {
    kind: 'lines',
    title: 'Duration of a step',
    says: 'Since the end of the previous one. Good: steady. Bad: growing: fewer pods, slower jobs, or more attempts.',
    unit: 's',
    shows: [[ofRun('run_step_seconds'), 'seconds']],
  },
];
