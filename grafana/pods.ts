import type { Board } from './board.ts';
import { money } from './pods/money.ts';
import { queue, there } from './pods/pods.ts';

export const pods: Board = {
  uid: 'pods',
  title: 'Pods and money',
  says: [
    '**Well spent**: most pods are *leased*, the queue empties within each step, the *useful share* is above 0.85 with many pods,',
    'and the cost grows in proportion to the steps.',
    '**Wasted**: pods are *ready* and no job waits (too many pods), jobs wait while pods are *creating* (a slow provider), or many pods are *lost*.',
    'If *pods that nobody owned* keeps rising, a pod costs money until somebody ends it by hand.',
  ].join('\n'),
  rows: [
    { title: 'Pods', panels: there },
    { title: 'Waiting and working', panels: queue },
    { title: 'Money of the run', panels: money },
  ],
};
