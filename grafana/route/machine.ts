import type { Panel } from '../panel.ts';

export const server: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Lag',
    says: 'Messages that a consumer has not delivered yet, without timers. Good: 0, with bursts. Bad: rising: nobody serves it, or too slowly.',
    unit: 'none',
    shows: [
      [
        'sum by (stream_name, consumer_name) (uplift_nats_consumer_num_pending{stream_name=~"mail_.*"}) > 0',
        '{{stream_name}} {{consumer_name}}',
      ],
      ['sum(uplift_nats_consumer_num_pending{stream_name=~"mail_.*"})', 'all'],
    ],
  },
  {
    kind: 'lines',
    title: 'In hand',
    says: 'Messages delivered and not acknowledged: being worked on. Good: follows the episodes. Bad: constant for long: a process holds them and does nothing.',
    unit: 'none',
    shows: [
      ['sum by (stream_name) (uplift_nats_consumer_num_ack_pending{stream_name=~"mail_.*"})', '{{stream_name}}'],
      ['sum(uplift_nats_consumer_num_redelivered{stream_name=~"mail_.*"})', 'of these, delivered again'],
    ],
  },
  {
    kind: 'lines',
    title: 'Timers',
    says: 'Timers not yet due: a deadline for each episode. Good: falls as they become due.',
    unit: 'none',
    shows: [['sum by (stream_name) (uplift_nats_stream_total_messages{stream_name=~"later_.*"})', '{{stream_name}}']],
  },
  {
    kind: 'lines',
    title: 'Messages',
    says: 'Into and out of the server, per second. Good: slightly more out than in.',
    unit: 'ops',
    shows: [
      ['sum(rate(uplift_nats_varz_in_msgs[$__rate_interval]))', 'in'],
      ['sum(rate(uplift_nats_varz_out_msgs[$__rate_interval]))', 'out'],
    ],
  },
  {
    kind: 'lines',
    title: 'Store',
    says: 'What is stored, and the limit. A full store makes every sender wait. Good: days of room. Bad: above 0.8 of the limit.',
    unit: 'bytes',
    shows: [
      ['sum(uplift_nats_server_total_message_bytes)', 'stored'],
      ['max(uplift_nats_server_max_storage)', 'limit'],
      ['topk(5, sum by (stream_name) (uplift_nats_stream_total_bytes))', '{{stream_name}}'],
    ],
  },
  {
    kind: 'lines',
    title: 'Clients, processor and memory of the server',
    says: 'Good: one client for each process and command line. Bad: memory that only grows.',
    unit: 'short',
    shows: [
      ['sum(uplift_nats_varz_connections)', 'clients'],
      ['sum(uplift_nats_varz_cpu)', 'processor, % of a core'],
      ['sum(uplift_nats_varz_mem) / 1048576', 'memory, MiB'],
    ],
  },
];

export const processes: readonly Panel[] = [
  {
    kind: 'lines',
    title: 'Event loop',
    says: 'How late a process runs its timers, 99th percentile since the last scrape. Good: below 50 ms. Bad: above 1 s: leases are lost, and acts are taken over.',
    unit: 's',
    shows: [
      ['max by (instance) (uplift_nodejs_eventloop_lag_p99_seconds)', '{{instance}}'],
      ['max(uplift_nodejs_eventloop_lag_seconds)', 'the latest now'],
    ],
    limits: [
      [null, 'green'],
      [1, 'red'],
    ],
  },
  {
    kind: 'lines',
    title: 'Processor',
    says: 'Cores that a process keeps busy. Good: pods near 1 while they train, all others far below.',
    unit: 'none',
    shows: [
      [
        'sum by (instance) (rate(uplift_process_cpu_user_seconds_total[$__rate_interval]) + rate(uplift_process_cpu_system_seconds_total[$__rate_interval]))',
        '{{instance}}',
      ],
    ],
  },
  {
    kind: 'lines',
    title: 'Memory',
    says: 'Good: flat after the first minutes. Bad: rising for hours.',
    unit: 'bytes',
    shows: [['max by (instance) (uplift_process_resident_memory_bytes)', '{{instance}}']],
  },
  {
    kind: 'lines',
    title: 'Age of processes',
    says: 'A drop to 0 is a restart. Good: all lines rise. Bad: a sawtooth.',
    unit: 's',
    shows: [['time() - max by (instance) (uplift_process_start_time_seconds)', '{{instance}}']],
    width: 12,
  },
  {
    kind: 'lines',
    title: 'Who leads',
    says: 'Epoch of the active process of each single-active actor. Good: flat. Bad: it rises often; or it has a gap: nobody leads, and that actor stands still.',
    unit: 'none',
    shows: [['max by (actor) (uplift_leader_epoch)', '{{actor}}']],
    width: 12,
  },
];
