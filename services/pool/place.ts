import { z } from 'zod';
import type { Turn } from '#kit/actor';
import { type Failure, failure as failureSchema } from '#protocol/failure';
import { type Job, job, jobFailed, jobOf } from '#protocol/job';
import { exactly, type PodPhase, podCreate, podDelete, podLife, podPhase, podScale, podWarm } from '#protocol/pod';
import { placesOf } from '#protocol/roles';

/** The state of the pool, and the changes of one place. Times are milliseconds since 1970, by the server's clock. */
const queued = z.strictObject({
  ...job,
  /** Number of pods that were lost while they had it. */
  losses: z.int(),
  /** When it was queued. */
  queuedAt: z.number().default(0),
});

const lease = z.strictObject({
  ...queued.shape,
  at: z.number(),
  /** When the pod last reported progress. */
  heardAt: z.number(),
  /** Nobody waits for it: if the pod is lost, it is not run again. */
  cancelled: z.boolean(),
  /** Share of its training, 0 to 1. */
  progress: z.number().default(0),
});

type Lease = z.infer<typeof lease>;

const place = z.strictObject({
  phase: podPhase,
  /** Of the current or last process at this place; 0: there was none. */
  generation: z.int(),
  /** Of the last lease. */
  token: z.int(),
  /** When the phase began. */
  since: z.number(),
  /** When this process was ordered, and when the provider had created it. */
  orderedAt: z.number(),
  madeAt: z.number(),
  /** When its deletion was last requested. */
  askedAt: z.number(),
  lease: lease.nullable(),
  jobs: z.int(),
  usefulSeconds: z.number(),
  /**
   * Number of successive processes that never became ready; the more, the longer the next one waits, until `notBefore`.
   */
  strikes: z.int(),
  notBefore: z.number(),
  failure: failureSchema.nullable(),
});
export type Place = z.infer<typeof place>;

export const state = {
  /** As the operator set it last. */
  scale: podScale.default(exactly(0)),
  /** Number of pods wanted, given the scale and the jobs. */
  wanted: z.int(),
  places: z.record(z.string(), place),
  /** Jobs without a pod, the next one first. */
  queue: z.array(queued),
  /** `run/job` of the last jobs that ended or were cancelled, so that late messages about them change nothing. */
  ended: z.array(z.string()),
  /** The number of the next tick, and when it is due; 0: none is scheduled. */
  tick: z.int(),
  tickDue: z.number(),
  /** When the pool last noticed that it had been away. */
  wokeAt: z.number(),
  /** The list of pods that the provider was asked for; tick 0: none. */
  asking: z.strictObject({ tick: z.int(), at: z.number() }),
  /** Version of the shown value, and when it was set. */
  version: z.int(),
  shownAt: z.number(),
  /** Totals of the pods that are gone, and the most pods at once. */
  podSeconds: z.number(),
  usefulSeconds: z.number(),
  most: z.int(),
};
const stateObject = z.strictObject(state);
export type State = z.infer<typeof stateObject>;

export const nothing: State = {
  ...{
    scale: exactly(0),
    wanted: 0,
    places: {},
    queue: [],
    ended: [],
    tick: 0,
    tickDue: 0,
    wokeAt: 0,
    asking: { tick: 0, at: 0 },
  },
  ...{ version: 0, shownAt: 0, podSeconds: 0, usefulSeconds: 0, most: 0 },
};

const empty: Place = {
  ...{ phase: 'absent', generation: 0, token: 0, since: 0, orderedAt: 0, madeAt: 0, askedAt: 0, lease: null },
  ...{ jobs: 0, usefulSeconds: 0, strikes: 0, notBefore: 0, failure: null },
};

export const places: readonly string[] = placesOf('pod');
export const placeOf = ({ places }: State, pod: string): Place => places[pod] ?? empty;

/** The place, if this process is the current one there. */
export function present(state: State, { pod, generation }: { pod: string; generation: number }): Place | undefined {
  const found = placeOf(state, pod);
  return found.generation === generation && found.phase !== 'absent' ? found : undefined;
}

export const keyOf = ({ run, job }: Pick<Job, 'run' | 'job'>): string => `${run}/${job}`;
const endedKept = 256;
export const remember = (state: State, job: Pick<Job, 'run' | 'job'>): State => ({
  ...state,
  ended: [...state.ended.filter((key) => key !== keyOf(job)), keyOf(job)].slice(-endedKept),
});

type Change = Partial<Omit<Place, 'phase' | 'since'>>;
export const change = (state: State, pod: string, changed: Partial<Place>): State => ({
  ...state,
  places: { ...state.places, [pod]: { ...placeOf(state, pod), ...changed } },
});
/** A step of the pod's life, which begins a phase. */
export const move = (state: State, to: { pod: string; phase: PodPhase; at: number } & Change): State => {
  const { pod, phase, at, ...changed } = to;
  return change(state, pod, { ...changed, phase: podLife.step(placeOf(state, pod).phase, phase), since: at });
};

export function order(state: State, pod: string, turn: Turn): State {
  const generation = placeOf(state, pod).generation + 1;
  turn.send(podCreate, { pod, generation });
  const begun = { generation, orderedAt: turn.now, madeAt: 0, jobs: 0, usefulSeconds: 0 };
  return move(state, { pod, phase: 'creating', at: turn.now, ...begun });
}

export function warm(state: State, pod: string, turn: Turn): State {
  turn.send(podWarm, { pod, generation: placeOf(state, pod).generation });
  return move(state, { pod, phase: 'warming', at: turn.now, madeAt: turn.now });
}

const longestWaitSeconds = 60;
const unready: readonly PodPhase[] = ['creating', 'warming'];

/**
 * Ends a pod: it is deleted until it is known to be gone, because it might exist. Its job goes to the front of the
 * queue.
 */
export function end(state: State, pod: string, { turn, failure }: { turn: Turn; failure: Failure | null }): State {
  const { generation, phase, lease, strikes } = placeOf(state, pod);
  turn.send(podDelete, { pod, generation });
  const struck = failure && unready.includes(phase) ? strikes + 1 : strikes;
  const waitMs = struck === 0 ? 0 : 1000 * Math.min(longestWaitSeconds, 2 ** struck);
  const ended = { askedAt: turn.now, lease: null, strikes: struck, notBefore: turn.now + waitMs, failure };
  const next = move(state, { pod, phase: 'terminating', at: turn.now, ...ended });
  return lease ? again(next, { pod, lease, turn }) : next;
}

/** A job that loses this many pods fails. */
const mostLosses = 3;

function again(state: State, { pod, lease, turn }: { pod: string; lease: Lease; turn: Turn }): State {
  if (lease.cancelled) return state;
  const job = jobOf(lease);
  const losses = lease.losses + 1;
  if (losses < mostLosses) return { ...state, queue: [{ ...job, losses, queuedAt: lease.queuedAt }, ...state.queue] };
  const detail = `${losses} pods were lost under job ${job.job}, the last one was ${pod}`;
  turn.send(jobFailed, { ...job, failure: { code: 'pod/lost', detail } });
  return remember(state, job);
}
