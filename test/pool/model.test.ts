// Whatever the order of events, and whoever is lost: the promises of the pool hold.
import test from 'ava';
import fc from 'fast-check';
import { jobCancel, leaseEnded } from '#protocol/job';
import {
  exactly,
  type PodPhase,
  podCreated,
  podDrain,
  podGone,
  podLost,
  podReady,
  podsListed,
  podsScale,
} from '#protocol/pod';
import { route } from '#protocol/route';
import { version } from '#protocol/version';
import type { Place, State } from '../../services/pool/place.ts';
import { type Out, say, submit, Told } from './support.ts';

const proof = { version, runtimes: { micro: 'x' }, seconds: 1 };
const jobs = ['a', 'b', 'c', 'd', 'e'];
type Named = { pod: string; generation: number };
type Run = Named & { token: number; job: string };
const nameOf = ({ pod, generation }: Named): string => `${pod}-${generation}`;

/** A provider and its pods around a pool. Messages are delivered in any order, some of them twice. */
class World {
  readonly pool = new Told(route);
  /** Name → alive. */
  readonly pods = new Map<string, boolean>();
  readonly pending: Out[] = [];
  readonly live = new Map<string, Run>();
  readonly tokens = new Map<string, number>();
  readonly endings = new Map<string, string[]>();
  readonly runs = new Map<string, number>();
  readonly submitted = new Set<string>();
  readonly cancelled = new Set<string>();

  tell(said: Parameters<Told['tell']>[0]): void {
    const before = this.pool.state;
    const out = this.pool.tell(said);
    for (const holds of [isEnough, isSpared])
      holds(before, this.pool.state, { now: this.pool.now, by: said.message.name });
    for (const one of out) {
      if (one.name === 'job-run') this.begun(one.body as unknown as Run);
      if (one.name === 'job-failed') this.ended(String(one.body.job), 'failed');
      if (one.name === 'pod-delete') this.live.delete(nameOf(one.body as unknown as Named));
      this.pending.push(one);
    }
  }

  begun(run: Run): void {
    if (this.live.has(nameOf(run))) throw new Error(`${nameOf(run)} has two live leases`);
    if (run.token <= (this.tokens.get(run.pod) ?? 0)) throw new Error(`token ${run.token} of ${run.pod} does not rise`);
    this.live.set(nameOf(run), run);
    this.tokens.set(run.pod, run.token);
    this.runs.set(run.job, (this.runs.get(run.job) ?? 0) + 1);
  }

  ended(job: string, how: string): void {
    this.endings.set(job, [...(this.endings.get(job) ?? []), how]);
  }

  submit(job: string): void {
    this.submitted.add(job);
    this.tell(submit(job));
  }

  cancel(job: string): void {
    this.cancelled.add(job);
    this.tell(say(jobCancel, { run: 'r1', job }));
  }

  kill(name: string): void {
    if (this.pods.has(name)) this.pods.set(name, false);
  }

  deliver(at: number, twice: boolean): void {
    const [one] = twice ? this.pending.slice(at, at + 1) : this.pending.splice(at, 1);
    if (!one) return;
    if (one.due !== null) this.pool.now = Math.max(this.pool.now, one.due);
    const named = one.body as unknown as Named;
    const pod = { pod: named.pod, generation: named.generation };
    if (one.name === 'pool-tick') this.tell({ message: one.message, body: one.body });
    if (one.name === 'pods-list') this.list(Number(one.body.tick));
    if (one.name === 'pod-create') this.create(pod);
    if (one.name === 'pod-warm' && this.pods.get(nameOf(pod))) this.tell(say(podReady, { ...pod, ...proof }));
    if (one.name === 'job-run' && this.pods.get(nameOf(pod))) this.finish(one.body as unknown as Run);
    if (one.name === 'pod-delete') this.remove(pod);
  }

  create(pod: Named): void {
    if (!this.pods.has(nameOf(pod))) this.pods.set(nameOf(pod), true);
    this.tell(say(podCreated, pod));
  }

  remove(pod: Named): void {
    this.pods.delete(nameOf(pod));
    this.tell(say(podGone, pod));
  }

  finish({ job, ...run }: Run): void {
    const { pod, generation, token } = run;
    const isLive = this.live.get(nameOf(run))?.token === token;
    if (isLive) this.live.delete(nameOf(run));
    if (isLive) this.ended(job, 'done');
    this.tell(say(leaseEnded, { run: 'r1', job, pod, generation, token, seconds: 1 }));
  }

  list(tick: number): void {
    const listed = [...this.pods].map(([name, running]) => {
      const [pod = '', generation = ''] = name.split('-');
      return { pod, generation: Number(generation), running };
    });
    this.tell(say(podsListed, { tick, listed }));
  }

  /** Everything that is on its way arrives, and time goes on. */
  settle(): void {
    for (let seconds = 0; seconds < 200; seconds += 1) {
      this.pool.now += 500;
      for (let left = this.pending.length; left > 0; left -= 1) this.deliver(0, false);
    }
  }
}

const all = ({ places }: State, ...phases: PodPhase[]): [string, Place][] =>
  Object.entries(places).filter(([, { phase }]) => phases.includes(phase));
const living: PodPhase[] = ['creating', 'warming', 'ready', 'leased'];
const wrong = (what: string): never => {
  throw new Error(what);
};

type At = { now: number; by: string };

/** P2: within its bounds, and as many as jobs need. */
function isEnough(before: State, after: State, { now }: At): void {
  const { wanted, queue, scale } = after;
  const { floor, ceiling } = scale;
  if (wanted < floor || wanted > ceiling) wrong(`${wanted} wanted, between ${floor} and ${ceiling}`);
  const there = all(after, ...living, 'draining', 'terminating').length;
  const ordered = all(after, 'creating').filter(([pod]) => before.places[pod]?.phase !== 'creating');
  if (ordered.length > 0 && there > ceiling) wrong(`one was ordered, and there are ${there} of ${ceiling}`);
  const isHeldUp = all(after, 'absent').some(([, { notBefore }]) => notBefore > now);
  const needed = Math.min(ceiling, queue.length + all(after, 'leased').length);
  if (there < needed && !isHeldUp) wrong(`${needed} are needed, and there are ${there}`);
  if (queue.length > 0 && all(after, 'ready').length > 0) wrong('a job waits beside a pod that is ready');
}

/** P2 and P3: who was ended for being one too many, and whether it might be. */
function isSpared(before: State, after: State, { now, by }: At): void {
  const { ceiling, idleSeconds } = after.scale;
  const wasTooMany = all(before, ...living).length > ceiling;
  for (const [pod, { phase, since, lease }] of all(before, ...living)) {
    const { phase: then, failure } = after.places[pod] ?? { phase, failure: null };
    if (then !== 'terminating' || failure !== null) continue;
    if (lease !== null && by !== 'lease-ended') wrong(`${pod} had a job, and was ended`);
    const isIdle = phase === 'ready' && now - since >= idleSeconds * 1000;
    if (!wasTooMany && !isIdle && by !== 'pod-drain')
      wrong(`${pod} was ${phase} since ${since}, and was ended at ${now}`);
  }
}

/** What may happen, chosen by a number; the rest of the number says to whom. */
const happenings: ((world: World, n: number) => void)[] = [
  (world, n) => world.submit(jobs[n % jobs.length] ?? 'a'),
  (world, n) => n % 3 === 0 && world.cancel(jobs[n % jobs.length] ?? 'a'),
  (world, n) => world.tell(say(podsScale, exactly(n % 5))),
  (world, n) => world.tell(say(podsScale, { floor: n % 3, ceiling: (n % 3) + (n % 4), idleSeconds: n % 20 })),
  (world, n) => world.tell(say(podDrain, { pod: `p${(n % 4) + 1}` })),
  (world, n) => world.kill([...world.pods.keys()][n % Math.max(1, world.pods.size)] ?? ''),
  (world, n) => {
    const [pod = 'p1', generation = '1'] = ([...world.pods.keys()][n % Math.max(1, world.pods.size)] ?? 'p1-1').split(
      '-',
    );
    const failure = { code: 'pod/unfit', detail: 'it cannot' } as const;
    world.tell(say(podLost, { pod, generation: Number(generation), failure }));
  },
  (world, n) => {
    world.pool.now += n % 3_000;
  },
  ...[false, false, false, false, true].map(
    (twice) => (world: World, n: number) => world.deliver(n % Math.max(1, world.pending.length), twice),
  ),
];

const story = fc.array(fc.tuple(fc.nat(happenings.length - 1), fc.nat(10_000)), { maxLength: 120 });

function endedOnce({ endings, cancelled, runs }: World, job: string): void {
  const { length } = endings.get(job) ?? [];
  const least = cancelled.has(job) ? 0 : 1;
  if (length < least || length > 1) throw new Error(`${job} ended ${length} times`);
  if ((runs.get(job) ?? 0) > 3) throw new Error(`${job} ran ${runs.get(job)} times`);
}

test('one live lease on a pod, rising tokens, one end for each job, and as many pods as are wanted', (t) => {
  t.timeout(120_000);
  fc.assert(
    fc.property(story, fc.nat(2), (steps, floor) => {
      const world = new World();
      for (const [what, n] of steps) happenings[what]?.(world, n);
      world.tell(say(podsScale, { floor, ceiling: 2, idleSeconds: 20 }));
      world.settle();
      for (const job of world.submitted) endedOnce(world, job);
      if (existing(world) !== floor) wrong(`${existing(world)} pods, where ${floor} are wanted`);
      if (floor > 0) world.tell(say(podsScale, exactly(0)));
      world.settle();
      if (existing(world) > 0 || world.pods.size > 0) wrong('pods are left');
      if (world.pending.length > 0) wrong(`${world.pending[0]?.name} goes on for ever`);
    }),
    { numRuns: 150 },
  );
  t.pass();
});

const existing = ({ pool }: World): number =>
  Object.values(pool.state.places).filter(({ phase }) => phase !== 'absent').length;
