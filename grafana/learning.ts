import type { Board } from './board.ts';
import { ends } from './learning/ends.ts';
import { glance } from './learning/glance.ts';
import { pacing } from './learning/pacing.ts';
import { rewards } from './learning/rewards.ts';
import { update } from './learning/update.ts';

export const learning: Board = {
  uid: 'learning',
  title: 'Learning',
  says: [
    '**A healthy run**: the top row is green, blue marks (new policies) come at a steady pace, *reward* rises first with *validity*, then with *uplift*,',
    '*held out* follows it, *divergence* stays below 0.1 and *entropy* falls slowly.',
    '**An unhealthy run** shows, in this order: divergence or clipping rises, entropy or gradient drops to 0, then the reward falls.',
    'A red mark is a lost pod. Choose the run at the top; every panel says what good and bad values look like (the ⓘ beside its title).',
  ].join('\n'),
  rows: [
    { title: 'At a glance', panels: glance },
    { title: 'Does it learn?', panels: rewards },
    { title: 'The update', panels: update },
    { title: 'Fresh and fair', panels: pacing },
    { title: 'How episodes end', panels: ends },
  ],
};
