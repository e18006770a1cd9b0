import type { Panel } from '../panel.ts';
import { ofRun } from '../query.ts';

export const glance: readonly Panel[] = [
  {
    kind: 'number',
    title: 'Steps',
    says: 'Updates of the policy so far, as a share of those wanted. Good: it rises. Bad: it stands still while the run is training (see "Step under way").',
    unit: 'percentunit',
    shows: [[`${ofRun('run_steps')} / ${ofRun('run_steps_wanted')}`, 'done']],
    limits: [[null, 'blue']],
  },
  {
    kind: 'number',
    title: 'Reward of the last step',
    says: 'Mean over its episodes, 0 to 1. Good: above 0.4 and rising. Bad: below 0.1 after the first few steps: nothing that is submitted is worth anything.',
    unit: 'none',
    shows: [[ofRun('run_step_reward_ratio'), 'reward']],
    limits: [
      [null, 'red'],
      [0.1, 'yellow'],
      [0.4, 'green'],
    ],
  },
  {
    kind: 'number',
    title: 'Share of its best',
    says: 'Reward of the last step, as a share of the best step in the selected time. Good: near 1. Bad: below 0.5, which is a collapse: see divergence and entropy below.',
    unit: 'percentunit',
    shows: [
      [
        `${ofRun('run_step_reward_ratio')} / max(max_over_time(uplift_run_step_reward_ratio{run="$run"}[$__range]))`,
        'share',
      ],
    ],
    limits: [
      [null, 'red'],
      [0.5, 'yellow'],
      [0.75, 'green'],
    ],
  },
  {
    kind: 'number',
    title: 'Held out',
    says: 'Mean reward on families that are never trained on, at the last evaluation. Good: it rises with the reward. Bad: flat while the reward rises: what is learned does not transfer.',
    unit: 'none',
    shows: [[ofRun('run_held_out_reward_ratio'), 'reward']],
    limits: [
      [null, 'yellow'],
      [0.3, 'green'],
    ],
  },
  {
    kind: 'number',
    title: 'Step under way',
    says: 'Its age, in multiples of the duration of the last step. Good: below 2. Bad: above 4: something is stuck, see Route and reliability.',
    unit: 'none',
    shows: [
      [
        `(time() - ${ofRun('run_step_began_timestamp_seconds')}) / ${ofRun('run_step_seconds')} and on () uplift_run_phase{run="$run", phase="training"} == 1`,
        'lengths',
      ],
    ],
    limits: [
      [null, 'green'],
      [2, 'yellow'],
      [4, 'red'],
    ],
  },
  {
    kind: 'number',
    title: 'Alerts',
    says: 'All alerts that are firing. Good: 0. Bad: any; each has a runbook that says what to do (Prometheus, Alerts).',
    unit: 'none',
    shows: [['sum(ALERTS{alertstate="firing"}) or vector(0)', 'alerts']],
    limits: [
      [null, 'green'],
      [1, 'red'],
    ],
  },
];
