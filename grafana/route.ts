import type { Board } from './board.ts';
import { processes, server } from './route/machine.ts';
import { acts, glance, turns } from './route/route.ts';

export const route: Board = {
  uid: 'route',
  title: 'Route and reliability',
  says: [
    '**Healthy**: nothing is parked, all processes answer, leaders do not change, half of all turns take less than 10 ms, and *lag* returns to 0.',
    '**Unhealthy**: look in this order. *Parked*: a message could not be handled. *Lag* of one consumer: its service is slow or away.',
    '*Event loop* above 1 s: that process is blocked, and what it held is delivered again. *Store* near its limit: every sender waits.',
  ].join('\n'),
  rows: [
    { title: 'At a glance', panels: glance },
    { title: 'Turns', panels: turns },
    { title: 'Acts at edges', panels: acts },
    { title: 'The server', panels: server },
    { title: 'Processes', panels: processes },
  ],
};
