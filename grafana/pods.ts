import type { Board } from './board.ts';
import { money } from './pods/money.ts';
import { queue, there } from './pods/pods.ts';

export const pods: Board = {
  uid: 'pods',
  title: 'Pods and money',
  says: [
    '**Well spent**: most pods are *leased*, the queue empties within a step, the *useful share* is above 0.85 with many pods,',
    'and the cost grows in proportion to the steps.',
    '**Wasted**: pods are *ready* and nothing waits (too many), jobs wait and pods are *creating* (the provider), or *lost* pods come in rows.',
    'Anything above 0 that stays at *pods that nobody owned* costs money until somebody ends it by hand.',
  ].join('\n'),
  rows: [
    { title: 'Pods', panels: there },
    { title: 'Waiting and working', panels: queue },
    { title: 'Money of the run', panels: money },
  ],
};
