import type { Board } from './board.ts';
import { processes, server } from './route/machine.ts';
import { acts, glance, turns } from './route/route.ts';

export const route: Board = {
  uid: 'route',
  title: 'Route and reliability',
  says: [
    '**Well**: nothing is parked, everybody answers, leaders do not change, half of all turns take less than 10 ms and *lag* comes back to 0.',
    '**Ill**: follow it in this order. *Parked*: a message that nobody can handle. *Lag* of one consumer: its service is slow or away.',
    '*Event loop* above 1 s: that process is blocked, and what it held is handed out again. *Store* near its limit: every sender waits.',
  ].join('\n'),
  rows: [
    { title: 'At a glance', panels: glance },
    { title: 'Turns', panels: turns },
    { title: 'Acts at edges', panels: acts },
    { title: 'The server', panels: server },
    { title: 'Processes', panels: processes },
  ],
};
