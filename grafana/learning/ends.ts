import type { Panel } from '../panel.ts';
import { ofRun, total } from '../query.ts';

export const ends: readonly Panel[] = [
  {
    kind: 'stack',
    title: 'Episodes of this run, by outcome',
    says: 'Good: scored grows, invalid flattens out. Bad: failed above one in fifty: that is the system, not the agent.',
    unit: 'none',
    shows: [[ofRun('run_episodes', 'outcome'), '{{outcome}}']],
  },
  {
    kind: 'bars',
    title: 'Why episodes failed',
    says: 'By code, all runs, selected time. Good: all at 0. Bad: anything that keeps growing; ARCHITECTURE.md says what each code means.',
    unit: 'none',
    shows: [[`topk(8, ${total('evaluator_failures_total', 'code')})`, '{{code}}']],
  },
  {
    kind: 'lines',
    title: 'Phase',
    says: 'Where the run is: preparing, training, measuring, ended. Bad: preparing for more than a minute: baselines are being measured, or a service is missing.',
    unit: 'none',
    shows: [[`${ofRun('run_phase', 'phase')} == 1`, '{{phase}}']],
  },
];
