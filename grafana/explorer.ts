import type { Board } from './board.ts';
import { attempts, families } from './explorer/episodes.ts';

export const explorer: Board = {
  uid: 'explorer',
  title: 'Episode and job explorer',
  says: [
    'Families, base models, findings and tools. Single episodes are not shown: metrics have no episode or job ids, which keeps the number of series small.',
    'To see one: `npx uplift runs show $run` prints the figures of a run, `npx uplift runs report $run` writes a page with',
    'the ten episodes most worth reading, their files and training curves; `npx uplift pods ls` shows which job each pod has.',
  ].join('\n'),
  rows: [
    { title: 'What is tried, and what it is worth', panels: families },
    { title: 'How it is tried', panels: attempts },
  ],
};
