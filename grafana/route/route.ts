import type { Panel } from '../panel.ts';
import { rate, spread, total } from '../query.ts';

export const glance: readonly Panel[] = [
  {
    kind: 'number',
    title: 'Parked messages',
    says: 'Such as could not be handled and wait for a person. Good: 0. Bad: any: "npx uplift parked ls" says why, and "retry" or "drop" ends it.',
    unit: 'none',
    shows: [['sum(uplift_nats_stream_total_messages{stream_name=~"parked_.*"})', 'parked']],
    limits: [
      [null, 'green'],
      [1, 'red'],
    ],
  },
  {
    kind: 'number',
    title: 'Processes that answer',
    says: 'Share of those that were there a moment ago. Good: 1. Bad: less for longer than a restart takes.',
    unit: 'percentunit',
    shows: [['avg(up{job="uplift"})', 'up']],
    limits: [
      [null, 'red'],
      [1, 'green'],
    ],
  },
  {
    kind: 'number',
    title: 'The server',
    says: '1 while nats-server answers. It is started again by itself, and everybody waits for it. Bad: 0 for more than ten seconds.',
    unit: 'none',
    shows: [['max(uplift_stack_nats_answers)', 'answers']],
    limits: [
      [null, 'red'],
      [1, 'green'],
    ],
  },
  {
    kind: 'number',
    title: 'Restarts',
    says: 'Of processes of this stack since it was started. Good: 0. Bad: it grows: see the end of the log of that process.',
    unit: 'none',
    shows: [['sum(uplift_stack_restarts)', 'restarts']],
    limits: [
      [null, 'green'],
      [1, 'yellow'],
      [5, 'red'],
    ],
  },
  {
    kind: 'number',
    title: 'Changes of leader',
    says: 'Of pool and learner, over the time looked at. Good: 0; one for each process that was ended. Bad: many: processes lose their lease because they, or the server, are too slow.',
    unit: 'none',
    shows: [['sum(changes(max by (actor) (uplift_leader_epoch)[$__range:15s]))', 'changes']],
    limits: [
      [null, 'green'],
      [3, 'yellow'],
      [10, 'red'],
    ],
  },
  {
    kind: 'number',
    title: 'Slow clients',
    says: 'Clients that the server cut off because they did not read. Good: 0. Bad: any: a process is blocked, see its event loop.',
    unit: 'none',
    shows: [['max(uplift_nats_varz_slow_consumers)', 'cut off']],
    limits: [
      [null, 'green'],
      [1, 'red'],
    ],
  },
];

export const turns: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Turns',
    says: 'Messages handled a second. Good: it follows the episodes. Bad: 0 while a run is training; "again" near "handled": much is delivered twice.',
    unit: 'ops',
    shows: [[rate('turns_total', 'actor, outcome'), '{{actor}} {{outcome}}']],
  },
  {
    kind: 'lines',
    title: 'A turn',
    says: 'From delivery to everything sent, waiting for earlier messages of the same instance included. Good: half below 10 ms. Bad: above 1 s: a single-active actor has more than it can do.',
    unit: 's',
    shows: spread('turn_seconds', 'actor'),
  },
  {
    kind: 'lines',
    title: 'A hop',
    says: 'From a message stored to all that its turn sent. Good: p50 below 25 ms over all hops of an episode together. Bad: one hop far above the others: its receiver lags.',
    unit: 's',
    shows: spread('hop_seconds', 'from, to'),
  },
  {
    kind: 'lines',
    title: 'Handed out again',
    says: 'Messages that an actor got another time. Good: 0; a burst when a process dies. Bad: steady: turns take longer than the server waits.',
    unit: 'ops',
    shows: [[rate('redeliveries_total', 'actor'), '{{actor}}']],
  },
  {
    kind: 'bars',
    title: 'Parked, by why',
    says: 'Over the time looked at. Good: empty. Bad: any; bus/handler-threw is a bug of ours.',
    unit: 'none',
    shows: [[total('parked_total', 'actor, code'), '{{actor}} {{code}}']],
  },
  {
    kind: 'lines',
    title: 'Publishes',
    says: 'That the server confirmed. Good: hardly a duplicate. Bad: many duplicates: answers are lost, or processes die between saving and sending.',
    unit: 'ops',
    shows: [[rate('bus_publishes_total', 'outcome'), '{{outcome}}']],
  },
];

export const acts: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Acts',
    says: 'Attempts at edges, by what came of them. Good: done. Bad: "again" or "failed" for one act: what it calls does not work; "overtaken": processes were taken for dead.',
    unit: 'ops',
    shows: [[rate('acts_total', 'act, outcome'), '{{act}} {{outcome}}']],
    width: 12,
  },
  {
    kind: 'lines',
    title: 'How long an act takes',
    says: 'One attempt. Good: as long as what it does. Bad: at its limit.',
    unit: 's',
    shows: spread('act_seconds', 'act'),
    width: 6,
  },
  {
    kind: 'lines',
    title: 'How long an act waits',
    says: 'From stored to begun. Good: below a second. Bad: longer than the act itself: more processes of that service would help.',
    unit: 's',
    shows: spread('act_wait_seconds', 'act'),
    width: 6,
  },
];
