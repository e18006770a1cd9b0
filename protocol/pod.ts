import { z } from 'zod';
import { failure } from './failure.ts';
import { lease } from './job.ts';
import { life } from './life.ts';
import { act, command, event, token } from './message.ts';
import { secondsMeasured } from './training.ts';
import { value } from './value.ts';

/** One pod, from its order to the proof that it is gone. A pod that might exist passes through `terminating`. */
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

/** One process at a place for pods; `generation` counts them, from 1. */
const incarnation = { pod: lease.pod, generation: lease.generation };
const toPool = { pool: 'pool.main' };

/** How many pods to have: as many as jobs need, between floor and ceiling. */
export const podScale = z.strictObject({
  floor: z.int().min(0),
  ceiling: z.int().min(0),
  /**
   * How long a pod above the floor stays without a job, seconds. A minute is twenty times what a process on this
   * machine takes to become warm, and longer than the pause between two steps of a run.
   */
  idleSeconds: z.number().min(0).default(60),
});
export type PodScale = z.infer<typeof podScale>;
export const exactly = (count: number): PodScale => podScale.parse({ floor: count, ceiling: count });

/** operator → pool: have this many pods */
export const podsScale = command('pods-scale', {
  from: ['operator'],
  to: toPool,
  body: podScale.shape,
  schema: 2,
});
/** operator → pool: end this pod when its job has ended */
export const podDrain = command('pod-drain', { from: ['operator'], to: toPool, body: { pod: token } });
/** pool → pool, at its edge: have the provider create a pod */
export const podCreate = act('pod-create', { from: ['pool'], to: toPool, body: incarnation });
/** pool → pool: the provider has created it */
export const podCreated = event('pod-created', { from: ['pool'], to: toPool, body: incarnation });
/** pool → pod, at its edge: prove your versions, and that you can train */
export const podWarm = act('pod-warm', { from: ['pool'], to: { pod: 'pods.{pod}' }, body: incarnation });
/** pod → pool: it has proved itself */
export const podReady = event('pod-ready', {
  from: ['pod'],
  to: toPool,
  body: {
    ...incarnation,
    version: z.string().max(64),
    runtimes: z.record(z.string(), z.string()),
    /** How long the training took that it proved itself with. */
    seconds: secondsMeasured,
  },
});
/** pod, pool → pool: it does not exist, or cannot train */
export const podLost = event('pod-lost', { from: ['pod', 'pool'], to: toPool, body: { ...incarnation, failure } });
/** pool → pool, at its edge: have the provider delete a pod */
export const podDelete = act('pod-delete', { from: ['pool'], to: toPool, body: incarnation });
/** pool → pool: nothing of it is left */
export const podGone = event('pod-gone', { from: ['pool'], to: toPool, body: incarnation });
/** pool → pool, later: check deadlines */
export const poolTick = command('pool-tick', { from: ['pool'], to: toPool, body: { tick: z.int() } });
/** pool → pool, at its edge: which pods does the provider have? */
export const podsList = act('pods-list', { from: ['pool'], to: toPool, body: { tick: z.int() } });
/** pool → pool: all of them; an incomplete list is never sent */
export const podsListed = event('pods-listed', {
  from: ['pool'],
  to: toPool,
  body: { tick: z.int(), listed: z.array(z.strictObject({ ...incarnation, running: z.boolean() })) },
});

/** The pods that exist, as people see them. */
export const pods = value('pods', {
  writer: 'pool',
  readers: ['operator', 'viewer'],
  body: {
    /** How many there should be, within the scale: those that jobs need, and those not idle for long enough to go. */
    wanted: z.int(),
    scale: podScale.default(exactly(0)),
    queued: z.int(),
    pods: z.array(
      z.strictObject({
        ...incarnation,
        phase: podPhase,
        /** When the phase began, milliseconds since 1970. */
        since: z.number(),
        job: token.nullable(),
        jobs: z.int(),
        /** How long it has existed, and how much of that it trained. */
        podSeconds: z.number(),
        usefulSeconds: z.number(),
        /** Why the last process here was lost; null: none was, or one has become ready since. */
        failure: failure.nullable(),
      }),
    ),
    /** Of all pods so far, including those that are gone. */
    podSeconds: z.number(),
    usefulSeconds: z.number(),
    /** The greatest number of pods that existed at once. */
    most: z.int(),
  },
});
