import type { Board } from './board.ts';
import { attempts, families } from './explorer/episodes.ts';

export const explorer: Board = {
  uid: 'explorer',
  title: 'Episode and job explorer',
  says: [
    'Which families, bases, findings and tools. Single episodes are not series: metrics have no episode or job ids, so that they stay as many as they are.',
    'From here to one of them: `npx uplift runs show $run` lists what a run is, `npx uplift runs report $run` writes the page with',
    'the ten episodes most worth reading, their files and training curves; `npx uplift pods ls` says which job each pod has.',
  ].join('\n'),
  rows: [
    { title: 'What is tried, and what it is worth', panels: families },
    { title: 'How it is tried', panels: attempts },
  ],
};
