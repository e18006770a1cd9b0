import type { Panel } from '../panel.ts';
import { rate, spread, total } from '../query.ts';

export const glance: readonly Panel[] = [
  {
    kind: 'number',
    title: 'Parked messages',
    says: 'Messages that could not be handled and wait for a person. Good: 0. Bad: any: "npx uplift parked ls" says why; "parked retry" or "parked drop" settles it.',
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
    says: 'Share of the known processes. Good: 1. Bad: less for longer than a restart takes.',
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
    says: '1 while nats-server answers. It is restarted automatically, and all processes wait for it. Bad: 0 for more than ten seconds.',
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
    says: 'Of all processes of this stack since it was started. Good: 0. Bad: rising: see the end of the log of that process.',
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
    says: 'Of pool and learner, selected time. Good: 0, or one for each process that was ended. Bad: many: processes lose their lease because they or the server are too slow.',
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
    says: 'Clients that the server disconnected because they did not read. Good: 0. Bad: any: a process is blocked, see its event loop.',
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
    says: 'Messages handled per second. Good: follows the episodes. Bad: 0 while a run is training; or "again" near "handled": many messages are delivered twice.',
    unit: 'ops',
    shows: [[rate('turns_total', 'actor, outcome'), '{{actor}} {{outcome}}']],
  },
  {
    kind: 'lines',
    title: 'Duration of a turn',
    says: 'From the delivery until everything was sent, including waiting for earlier messages of the same instance. Good: half below 10 ms. Bad: above 1 s: a single-active actor is overloaded.',
    unit: 's',
    shows: spread('turn_seconds', 'actor'),
  },
  {
    kind: 'lines',
    title: 'Duration of a hop',
    says: 'From storing a message until all that its turn sent was out. Good: p50 below 25 ms over all hops of an episode together. Bad: one hop far above the others: its receiver lags.',
    unit: 's',
    shows: spread('hop_seconds', 'from, to'),
  },
  {
    kind: 'lines',
    title: 'Redeliveries',
    says: 'Messages delivered to an actor again. Good: 0; a burst when a process dies. Bad: steady: turns take longer than the server waits.',
    unit: 'ops',
    shows: [[rate('redeliveries_total', 'actor'), '{{actor}}']],
  },
  {
    kind: 'bars',
    title: 'Parked, by code',
    says: 'Selected time. Good: empty. Bad: any; bus/handler-threw is a bug of ours.',
    unit: 'none',
    shows: [[total('parked_total', 'actor, code'), '{{actor}} {{code}}']],
  },
  {
    kind: 'lines',
    title: 'Publishes',
    says: 'Confirmed by the server. Good: hardly any duplicates. Bad: many: answers are lost, or processes die between saving and sending.',
    unit: 'ops',
    shows: [[rate('bus_publishes_total', 'outcome'), '{{outcome}}']],
  },
];

export const acts: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Acts',
    says: 'Attempts at edges, by outcome. Good: done. Bad: "again" or "failed" for one act: what it calls does not work; or "overtaken": processes were considered dead.',
    unit: 'ops',
    shows: [[rate('acts_total', 'act, outcome'), '{{act}} {{outcome}}']],
    width: 12,
  },
  {
    kind: 'lines',
    title: 'How long an act takes',
    says: 'One attempt. Good: far below its limit. Bad: at its limit.',
    unit: 's',
    shows: spread('act_seconds', 'act'),
    width: 6,
  },
  {
    kind: 'lines',
    title: 'How long an act waits',
    says: 'From storing an act until it begins. Good: below a second. Bad: longer than the act itself: more processes of that service would help.',
    unit: 's',
    shows: spread('act_wait_seconds', 'act'),
    width: 6,
  },
];
