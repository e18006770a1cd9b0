import type { Bus } from '#kit/bus';
import { now } from '#kit/clock';
import { listParked } from '#kit/park';
import { eachChange, getValue } from '#kit/values';
import { pods } from '#protocol/pod';
import { type Service, services, traits } from '#protocol/roles';
import { type RunRecord, runRecord } from '#protocol/run';
import { verdict } from '#protocol/verdict';
import type { PodsShown } from '../pods.ts';

/** What went wrong, and with what: an episode, a pod, a message that was parked. */
export interface Mishap {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly what: string;
  readonly code: string;
  readonly detail: string;
}

/** Everything that is shown: values that any viewer may read. */
export interface Facts {
  /** When this was read, milliseconds since 1970. */
  readonly at: number;
  /** The run under way, or else the last one; null: there was none. */
  readonly run: { readonly name: string; readonly record: RunRecord } | null;
  /** null: the pool has reported nothing yet. */
  readonly pods: PodsShown | null;
  /** Latest first. */
  readonly mishaps: readonly Mishap[];
}

const mishapsKept = 50;
/** Most ended episodes that are read at once; for a long run, the first looks catch up. */
const readAtOnce = 2_000;
/** A viewer may not read what the evaluator has parked. */
const watched = services.filter((service) => traits[service].home === 'core');

/** Reads the facts repeatedly, each time only what has changed. */
export class Watch {
  readonly #bus: Bus;
  readonly #runs = new Map<string, RunRecord>();
  #runSeq = 0;
  #run: string | undefined;
  #verdictSeq = 0;
  #episodes: Mishap[] = [];
  #others: Mishap[] = [];
  readonly #parkedSeq = new Map<string, number>();
  /** Pod → what was wrong with it at the last look. */
  readonly #wrong = new Map<string, string>();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  async look(): Promise<Facts> {
    const run = await this.#latestRun();
    if (run) await this.#readEpisodes(run.name);
    for (const service of watched) await this.#readParked(service);
    const there = (await getValue(this.#bus, pods, 'pool.main')) ?? null;
    for (const pod of there?.pods ?? []) this.#lookAt(pod);
    this.#others = this.#others.slice(-mishapsKept);
    const mishaps = [...this.#episodes, ...this.#others].toSorted((a, b) => b.at - a.at);
    return { at: now(), run, pods: there, mishaps: mishaps.slice(0, mishapsKept) };
  }

  async #readParked(service: Service): Promise<void> {
    const parked = listParked(this.#bus, service, this.#parkedSeq.get(service));
    for await (const { seq, at, was, failure } of parked) {
      if (failure) this.#others.push({ at, what: `parked ${was}`, ...failure });
      this.#parkedSeq.set(service, seq + 1);
    }
  }

  #lookAt({ pod, since, failure }: PodsShown['pods'][number]): void {
    const now = failure ? `${failure.code} ${failure.detail}` : '';
    if (failure && now !== this.#wrong.get(pod)) this.#others.push({ at: since, what: pod, ...failure });
    this.#wrong.set(pod, now);
  }

  async #latestRun(): Promise<Facts['run']> {
    for await (const { address, body, seq } of eachChange(this.#bus, runRecord, { run: '*', from: this.#runSeq + 1 })) {
      this.#runs.set(address.replace(/\.main$/, ''), body);
      this.#runSeq = seq;
    }
    const all = [...this.#runs].toSorted(([, a], [, b]) => a.startedAt - b.startedAt);
    const [name, record] = all.findLast(([, { phase }]) => phase !== 'ended') ?? all.at(-1) ?? [];
    return name && record ? { name, record } : null;
  }

  async #readEpisodes(run: string): Promise<void> {
    if (run !== this.#run) [this.#run, this.#verdictSeq, this.#episodes] = [run, 0, []];
    let read = 0;
    for await (const { body, seq } of eachChange(this.#bus, verdict, { run, from: this.#verdictSeq + 1 })) {
      this.#verdictSeq = seq;
      if (body.failure) this.#episodes.push({ at: body.endedAt, what: body.episode, ...body.failure });
      read += 1;
      if (read === readAtOnce) break;
    }
    this.#episodes = this.#episodes.slice(-mishapsKept);
  }
}
