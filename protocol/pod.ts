import { z } from 'zod';
import { failure } from './failure.ts';
import { lease } from './job.ts';
import { life } from './life.ts';
import { act, command, event, token } from './message.ts';
import { measured } from './training.ts';
import { value } from './value.ts';

/** One pod, from its order to the proof that it is gone. Who might exist passes through `terminating`. */
export const podLife = life('pod', {
  absent: ['creating'],
  creating: ['warming', 'terminating'],
  warming: ['ready', 'terminating'],
  ready: ['leased', 'draining', 'terminating'],
  leased: ['ready', 'draining', 'terminating'],
  draining: ['terminating'],
  terminating: ['absent'],
});
export const podPhase = z.enum(['absent', 'creating', 'warming', 'ready', 'leased', 'draining', 'terminating']);
export type PodPhase = z.infer<typeof podPhase>;

/** A place for a pod, and the how-manieth process that it is. */
const incarnation = { pod: lease.pod, generation: lease.generation };
const toPool = { pool: 'pool.main' };

/** Between these the pool has as many pods as jobs need. */
export const podScale = z.strictObject({
  floor: z.int().min(0),
  ceiling: z.int().min(0),
  /**
   * So long, in seconds, a pod above the floor stays without a job. A minute is twenty times what a process of this machine
   * takes to be warm, and more than the pause between two steps of a run.
   */
  idleSeconds: z.number().min(0).default(60),
});
export type PodScale = z.infer<typeof podScale>;
export const exactly = (count: number): PodScale => podScale.parse({ floor: count, ceiling: count });

/** operator → pool: so many pods */
export const podsScale = command('pods-scale', {
  from: ['operator'],
  to: toPool,
  body: podScale.shape,
  schema: 2,
});
/** operator → pool: this one ends when its job has ended */
export const podDrain = command('pod-drain', { from: ['operator'], to: toPool, body: { pod: token } });
/** pool → pool, at its edge: the provider makes a pod */
export const podCreate = act('pod-create', { from: ['pool'], to: toPool, body: incarnation });
/** pool → pool */
export const podCreated = event('pod-created', { from: ['pool'], to: toPool, body: incarnation });
/** pool → pod, at its edge: prove your versions, and that you can train */
export const podWarm = act('pod-warm', { from: ['pool'], to: { pod: 'pods.{pod}' }, body: incarnation });
/** pod → pool */
export const podReady = event('pod-ready', {
  from: ['pod'],
  to: toPool,
  body: {
    ...incarnation,
    version: z.string().max(64),
    runtimes: z.record(z.string(), z.string()),
    /** Of the training that it proved itself with. */
    seconds: measured,
  },
});
/** pod, pool → pool: it is not there, or not fit */
export const podLost = event('pod-lost', { from: ['pod', 'pool'], to: toPool, body: { ...incarnation, failure } });
/** pool → pool, at its edge: the provider ends a pod */
export const podDelete = act('pod-delete', { from: ['pool'], to: toPool, body: incarnation });
/** pool → pool */
export const podGone = event('pod-gone', { from: ['pool'], to: toPool, body: incarnation });
/** pool → pool, later: time to look */
export const poolTick = command('pool-tick', { from: ['pool'], to: toPool, body: { tick: z.int() } });
/** pool → pool, at its edge: which pods does the provider have? */
export const podsList = act('pods-list', { from: ['pool'], to: toPool, body: { tick: z.int() } });
/** pool → pool: the whole list, or it is not told */
export const podsListed = event('pods-listed', {
  from: ['pool'],
  to: toPool,
  body: { tick: z.int(), listed: z.array(z.strictObject({ ...incarnation, running: z.boolean() })) },
});

/** The pods there are, as people watch them. */
export const pods = value('pods', {
  writer: 'pool',
  readers: ['operator', 'viewer'],
  body: {
    /** Within the scale: what jobs need, and what has not been idle for long enough to go. */
    wanted: z.int(),
    scale: podScale.default(exactly(0)),
    queued: z.int(),
    pods: z.array(
      z.strictObject({
        ...incarnation,
        phase: podPhase,
        /** Milliseconds since 1970. */
        since: z.number(),
        job: token.nullable(),
        jobs: z.int(),
        /** In which it was there, and in which it trained. */
        podSeconds: z.number(),
        usefulSeconds: z.number(),
        /** What became of the last process here that was lost; null: none was, or one has become ready since. */
        failure: failure.nullable(),
      }),
    ),
    /** Of all pods there were, those that are gone included. */
    podSeconds: z.number(),
    usefulSeconds: z.number(),
    most: z.int(),
  },
});
