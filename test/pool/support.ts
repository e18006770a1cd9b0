import type { Sent } from '#kit/actor';
import { type Job, jobSubmit } from '#protocol/job';
import type { Message } from '#protocol/message';
import { pool } from '../../services/pool/actor.ts';
import type { State } from '../../services/pool/place.ts';

export interface Said {
  readonly message: Message;
  readonly body: unknown;
}
export const say = <B>(message: Message<B>, body: B): Said => ({ message: message as Message, body });

export const jobNamed = (job: string): Job => ({
  ...{ run: 'r1', episode: job, group: 'g1', purpose: 'training', spec: 's1', policy: 0, formula: 'reference' },
  ...{ job, experiment: null, workspace: 'a'.repeat(64), runtime: 'micro', baseModel: 'micro-s', seconds: 60 },
});
export const submit = (job: string): Said => say(jobSubmit, jobNamed(job));

/** A message on its way out, by name. */
export interface Out {
  readonly name: string;
  readonly body: Record<string, unknown>;
  readonly message: Message;
  /** Milliseconds; null: at once. */
  readonly due: number | null;
}

const outOf = (sent: readonly Sent[], byName: ReadonlyMap<string, Message>): Out[] =>
  sent.flatMap((one) => {
    if (one.kind === 'value') return [];
    const name = one.sealed.subject.split('.').at(-1) ?? '';
    const message = byName.get(name);
    return message ? [{ name, body: Object(one.sealed.body), message, due: one.due }] : [];
  });

/** A pool that is told one thing after another; what it says is kept. */
export class Told {
  state: State = pool.initial;
  now = 1_000_000;
  readonly out: Out[] = [];
  readonly shown: { version: number }[] = [];
  readonly #messages: ReadonlyMap<string, Message>;

  constructor(messages: readonly Message[]) {
    this.#messages = new Map(messages.map((message) => [message.name, message]));
  }

  tell(said: Said): Out[] {
    const { state, sent } = pool.step(this.state, said, { address: 'pool.main', now: this.now });
    this.state = state;
    for (const one of sent) if (one.kind === 'value') this.shown.push(one.body);
    const out = outOf(sent, this.#messages);
    this.out.push(...out);
    return out;
  }

  named(name: string): Out[] {
    return this.out.filter((one) => one.name === name);
  }
}
