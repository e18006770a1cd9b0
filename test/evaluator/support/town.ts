import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { actor } from '#kit/actor';
import { blobs } from '#kit/blobs';
import type { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { pack, unpack } from '#kit/wire';
import { findingsTold, workspaceCheck } from '#protocol/episode';
import { experimentCheck, experimentTold } from '#protocol/experiment';
import type { Failure } from '#protocol/failure';
import { jobAnswer, jobAnswered, jobCancel, jobSubmit, jobTrained, leaseEnded } from '#protocol/job';
import { type BodyOf, type Message, seal } from '#protocol/message';
import type { Role, Service } from '#protocol/roles';
import { catalogueTold, runFailed } from '#protocol/run';
import { stateOf } from '#protocol/streams';
import { episodeEnded } from '#protocol/verdict';
import { evaluator } from '../../../services/evaluator/actor.ts';
import { type House, until } from '../../support/house.ts';
import { episode, hash } from './story.ts';

const heard = { heard: z.array(z.strictObject({ name: z.string(), body: z.unknown() })) };
type Heard = z.infer<z.ZodObject<typeof heard>>;

/** A neighbour of the evaluator that only remembers what it is told. */
function listener(service: Service, messages: readonly Message[]) {
  const listening = actor(service, heard, { heard: [] });
  for (const message of messages)
    listening.on(message, (state, body) => ({ heard: [...state.heard, { name: message.name, body }] }));
  return listening;
}
const as = <B>(message: Message<B>): Message => message as Message;

/** A pod whose model has learned nothing: it answers every prompt with nothing. */
const pod = actor('pod', {}, {}).edge(
  jobAnswer,
  async ({ prompts, ...body }, call) => call.send(jobAnswered, { ...body, completions: prompts.map(() => '') }),
  { failed: () => undefined, seconds: 60, slots: 1 },
);

/** Two evaluators and all whom they talk to, on a real server. */
export class Town {
  readonly bus: Bus;
  readonly #over = new AbortController();
  readonly #served: Promise<void>[] = [];

  private constructor(bus: Bus) {
    this.bus = bus;
  }

  static async start(house: House): Promise<Town> {
    const town = new Town(await house.bus('operator'));
    const neighbours = [
      listener('agent', [as(findingsTold), as(experimentTold), as(episodeEnded)]),
      listener('pool', [as(jobSubmit), as(jobCancel), as(leaseEnded)]),
      listener('learner', [as(episodeEnded)]),
      listener('conductor', [as(episodeEnded), as(catalogueTold), as(runFailed)]),
    ];
    for (const one of neighbours) await town.#serve(house, one);
    await town.#serve(house, pod);
    for (const one of [evaluator, evaluator]) await town.#serve(house, one);
    return town;
  }

  async #serve<S>(house: House, one: Parameters<typeof serve<S>>[1]): Promise<void> {
    const place = one.name === 'pod' ? 'p1' : undefined;
    this.#served.push(serve(await house.bus(one.name), one, { signal: this.#over.signal, drainSeconds: 2, place }));
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#served);
  }

  /** `twice`: as two messages, which no id tells to be one. */
  async tell<B>(message: Message<B>, body: B, from: Role): Promise<void> {
    for (const { subject, schema, body: sealed } of seal(message, body, from))
      await this.bus.publish({
        id: randomUUID(),
        cause: null,
        due: null,
        failure: null,
        subject,
        schema,
        data: pack(sealed),
      });
  }

  async submit(name: string, bytes: Uint8Array, spec = episode.spec): Promise<string> {
    const workspace = await blobs(this.bus).put('workspace', bytes);
    const body = { ...episode, episode: name, spec, workspace, transcript: hash('a'), submit: true };
    await this.tell(workspaceCheck, body, 'agent');
    return workspace;
  }

  async experiment(name: string, bytes: Uint8Array, { spec, experiment }: { spec: string; experiment: number }) {
    const workspace = await blobs(this.bus).put('workspace', bytes);
    await this.tell(experimentCheck, { ...episode, episode: name, spec, workspace, experiment }, 'agent');
  }

  /** Told of a job by its pod: what it left behind, or what it did wrong. */
  async trained(job: BodyOf<typeof jobSubmit>, left: string | Failure): Promise<void> {
    const [weights, fault] = typeof left === 'string' ? [left, null] : [null, left];
    const lease = { pod: 'p1', generation: 1, token: 1 };
    await this.tell(jobTrained, { ...job, ...lease, weights, fault, curve: [], seconds: 3 }, 'pod');
  }

  async #all(service: Service, key: string): Promise<Heard['heard']> {
    const found = await this.bus.load(stateOf(service), key);
    return found ? (unpack(found.data) as { state: Heard }).state.heard : [];
  }

  async heard<B>(message: Message<B>, service: Service, key: string): Promise<B[]> {
    return (await this.#all(service, key)).flatMap(({ name, body }) =>
      name === message.name ? [message.body.parse(body)] : [],
    );
  }

  /** Waits until a service has heard what fits; answers the first of that. */
  async first<B>(
    message: Message<B>,
    at: { service: Service; key: string },
    fits: (body: B) => boolean = () => true,
  ): Promise<B> {
    let found: B | undefined;
    const look = async (): Promise<boolean> => {
      found = (await this.heard(message, at.service, at.key)).find(fits);
      return found !== undefined;
    };
    await until(`the ${at.service} has heard ${message.name} at ${at.key}`, look, 50);
    return found as B;
  }
}
