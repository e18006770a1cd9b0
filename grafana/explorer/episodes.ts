import type { Panel } from '../panel.ts';
import { buckets, mean, rate, spread, total } from '../query.ts';

export const families: readonly Panel[] = [
  {
    kind: 'bars',
    title: 'Episodes by family and end',
    says: 'All runs, the time looked at. Good: as many of each training family, most scored. Bad: a family of which most are invalid: its text is not understood.',
    unit: 'none',
    shows: [[total('evaluator_episodes_total', 'family, use, outcome'), '{{family}} ({{use}}) {{outcome}}']],
  },
  {
    kind: 'bars',
    title: 'Uplift by family and base model',
    says: 'Mean over scored episodes, all runs, the time looked at. Good: the larger base is ahead. Bad: a pair at 0 with many episodes: that base cannot learn it.',
    unit: 'percentunit',
    shows: [[mean('evaluator_uplift_ratio', 'family, base_model'), '{{family}} on {{base_model}}']],
    max: 1,
  },
  {
    kind: 'bars',
    title: 'Findings',
    says: 'What is wrong with jobs, by code, the time looked at. Good: fewer as the run goes on. Bad: red-team codes that grow: rewards are made that pay for nothing; score/impossible: somebody cheats, and it works.',
    unit: 'none',
    shows: [[`topk(12, ${total('evaluator_findings_total', 'code')})`, '{{code}}']],
  },
];

export const attempts: readonly Panel[] = [
  {
    kind: 'heat',
    title: 'Submissions of an episode',
    says: 'Valid or not. Good: most at 1. Bad: at 4: those gave up.',
    unit: 'none',
    shows: [buckets('evaluator_submissions')],
  },
  {
    kind: 'stack',
    title: 'Experiments',
    says: 'Trainings that agents tried before they submitted, by how they ended. Good: mostly trained, and rewards better than those of episodes without. Bad: invalid or failed: they are paid for, and tell nothing.',
    unit: 'ops',
    shows: [[rate('evaluator_experiments_total', 'outcome'), '{{outcome}}']],
  },
  {
    kind: 'stack',
    title: 'Moves of agents',
    says: 'By what is done after them. Good: as many "submit" as episodes, and some "validate" before. Bad: "go on" without end: moves that lead to nothing.',
    unit: 'ops',
    shows: [[rate('agent_moves_total', 'next'), '{{next}}']],
  },
  {
    kind: 'stack',
    title: 'Tools that agents call',
    says: 'Good: files are written, baselines read, something submitted. Bad: one tool only.',
    unit: 'ops',
    shows: [[rate('agent_tool_calls_total', 'tool'), '{{tool}}']],
  },
  {
    kind: 'lines',
    title: 'A validation',
    says: 'All its stages. Good: below a second. Bad: many at the limit: environments that do not end.',
    unit: 's',
    shows: spread('evaluator_check_seconds'),
  },
  {
    kind: 'lines',
    title: 'An episode',
    says: 'From its beginning to its end, training only. Good: far below its deadline. Bad: at the deadline: those fail.',
    unit: 's',
    shows: spread('learner_episode_seconds', 'stage'),
  },
  {
    kind: 'stack',
    title: 'Trainings',
    says: 'That came to their end, by whose fault it was. Good: trained. Bad: job/… : jobs that passed validation and break later.',
    unit: 'ops',
    shows: [[rate('pod_trainings_total', 'runtime, outcome'), '{{runtime}} {{outcome}}']],
  },
];
