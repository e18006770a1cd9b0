import type { Panel } from '../panel.ts';
import { buckets, mean, rate, spread, total } from '../query.ts';

export const families: readonly Panel[] = [
  {
    kind: 'bars',
    title: 'Episodes by family and end',
    says: 'All runs, selected time. Good: equal numbers of each training family, most of them scored. Bad: a family whose episodes are mostly invalid: its text is not understood.',
    unit: 'none',
    shows: [[total('evaluator_episodes_total', 'family, use, outcome'), '{{family}} ({{use}}) {{outcome}}']],
  },
  {
    kind: 'bars',
    title: 'Uplift by family and base model',
    says: 'Mean over scored episodes, all runs, selected time. Good: the larger base model is ahead. Bad: a pair at 0 with many episodes: that base model cannot learn it.',
    unit: 'percentunit',
    shows: [[mean('evaluator_uplift_ratio', 'family, base_model'), '{{family}} on {{base_model}}']],
    max: 1,
  },
  {
    kind: 'bars',
    title: 'Findings',
    says: 'What is wrong with jobs, by code, selected time. Good: fewer as the run goes on. Bad: rising red-team codes: agents write rewards that can be had without the skill; score/impossible: somebody cheats, and it works.',
    unit: 'none',
    shows: [[`topk(12, ${total('evaluator_findings_total', 'code')})`, '{{code}}']],
  },
];

export const attempts: readonly Panel[] = [
  {
    kind: 'heat',
    title: 'Submissions of an episode',
    says: 'Per episode, valid or not. Good: most at 1. Bad: at 4: those used up their attempts.',
    unit: 'none',
    shows: [buckets('evaluator_submissions')],
  },
  {
    kind: 'stack',
    title: 'Experiments',
    says: 'Trainings that agents tried before they submitted, by outcome. Good: mostly trained, and better rewards than those of episodes without. Bad: invalid, or failed: those cost pod time and show nothing.',
    unit: 'ops',
    shows: [[rate('evaluator_experiments_total', 'outcome'), '{{outcome}}']],
  },
  {
    kind: 'stack',
    title: 'Moves of agents',
    says: 'By what follows them. Good: as many "submit" as episodes, and some "validate". Bad: mostly "go on": moves that lead to nothing.',
    unit: 'ops',
    shows: [[rate('agent_moves_total', 'next'), '{{next}}']],
  },
  {
    kind: 'stack',
    title: 'Tools that agents call',
    says: 'Good: files are written, baselines read, jobs submitted. Bad: only one tool.',
    unit: 'ops',
    shows: [[rate('agent_tool_calls_total', 'tool'), '{{tool}}']],
  },
  {
    kind: 'stack',
    title: 'Requests to language models',
    says: 'By outcome; none without a language model. Good: answered. Bad: busy or unreachable: answers are waited for, and episodes may fail.',
    unit: 'ops',
    shows: [[rate('agent_mind_requests_total', 'outcome'), '{{outcome}}']],
  },
  {
    kind: 'stack',
    title: 'Tokens of language models',
    says: 'In prompts and in answers; they are what an episode costs. Good: prompts that a server has in its cache. Bad: prompts that grow while rewards do not.',
    unit: 'ops',
    shows: [[rate('agent_mind_tokens_total', 'kind'), '{{kind}}']],
  },
  {
    kind: 'lines',
    title: 'Duration of a validation',
    says: 'All stages. Good: below a second. Bad: many at the limit: environments that do not end.',
    unit: 's',
    shows: spread('evaluator_check_seconds'),
  },
  {
    kind: 'lines',
    title: 'Duration of an episode',
    says: 'Training episodes, from beginning to end. Good: far below the deadline. Bad: at the deadline: those fail.',
    unit: 's',
    shows: spread('learner_episode_seconds', 'stage'),
  },
  {
    kind: 'stack',
    title: 'Trainings',
    says: 'By outcome: trained, or the code of what the job did wrong. Good: trained. Bad: job/…: jobs that pass validation and fail later.',
    unit: 'ops',
    shows: [[rate('pod_trainings_total', 'runtime, outcome'), '{{runtime}} {{outcome}}']],
  },
];
