import type { Panel } from '../panel.ts';
import { ofRun } from '../query.ts';

export const money: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Cost of the run',
    says: 'So far, by kind; 0 if pods cost nothing. Good: in proportion to the steps. Bad: grows while no step is made.',
    unit: 'currencyUSD',
    shows: [
      [ofRun('run_cost_usd', 'kind'), '{{kind}}'],
      [ofRun('run_budget_usd'), 'budget'],
    ],
  },
  {
    kind: 'number',
    title: 'Budget left',
    says: 'What the run may still cost; no value without a budget. At 0 no new group begins, and the run ends. Good: enough for the remaining steps.',
    unit: 'currencyUSD',
    shows: [[ofRun('run_budget_left_usd'), 'left']],
    limits: [
      [null, 'red'],
      [0.01, 'green'],
    ],
  },
  {
    kind: 'number',
    title: 'Budget used',
    says: 'Share of the budget. Good: below the share of steps done. Bad: above 0.8, which is an alert.',
    unit: 'percentunit',
    shows: [[`sum(${ofRun('run_cost_usd', 'kind')}) / ${ofRun('run_budget_usd')}`, 'used']],
    limits: [
      [null, 'green'],
      [0.8, 'yellow'],
      [1, 'red'],
    ],
  },
  {
    kind: 'number',
    title: 'Cost of a scored episode',
    says: 'So far. Good: steady or falling. Bad: rising: more is spent on episodes that fail.',
    unit: 'currencyUSD',
    shows: [
      [
        `sum(${ofRun('run_cost_usd', 'kind')}) / (max(uplift_run_episodes{run="$run", outcome="scored"}) > 0)`,
        'an episode',
      ],
    ],
    limits: [[null, 'blue']],
  },
  {
    kind: 'lines',
    title: 'Spending',
    says: 'Per hour, over the last ten minutes. Good: the price of the pods at work. Bad: more than that.',
    unit: 'currencyUSD',
    shows: [['sum by (kind) (delta(uplift_run_cost_usd{run="$run"}[10m])) * 6', '{{kind}} an hour']],
  },
  {
    kind: 'lines',
    title: 'Pod time',
    says: 'Of all pods so far, by use. Good: training is most of it.',
    unit: 's',
    shows: [['sum by (use, provider, gpu) (uplift_pool_pod_seconds)', '{{use}} {{provider}} {{gpu}}']],
  },
];
