import { z } from 'zod';
import type { Role, Service } from './roles.ts';

const tokens = /^[A-Za-z0-9_-]{1,64}$/;

/** One part of an address: a run, an episode, a pod. */
export const token = z.string().regex(tokens, 'a token is 1 to 64 letters, digits, "-" or "_"');

/** The name of a blob: the SHA-256 of its bytes. */
export const blobHash = z.string().regex(/^[0-9a-f]{64}$/, 'a blob is named by 64 hexadecimal digits');

/**
 * What is said, declared once and imported by its sender and its handlers.
 * `command`: imperative, one receiver. `event`: past tense, any number of receivers.
 * `act`: imperative, one receiver, done at that receiver's edge.
 */
export interface Message<Body = unknown> {
  readonly name: string;
  readonly kind: 'command' | 'event' | 'act';
  /** Raised when a reader of the previous version would misunderstand the body. */
  readonly schema: number;
  readonly from: readonly Role[];
  /** Receiver → the address of its instance: two tokens `run.key`, where `{field}` is taken from the body. */
  readonly to: Readonly<Partial<Record<Service, string>>>;
  readonly body: z.ZodType<Body>;
}

export type BodyOf<M> = M extends Message<infer Body> ? Body : never;

type Shape = z.ZodRawShape;
type Out<S extends Shape> = z.infer<z.ZodObject<S>>;
interface Declaration<S extends Shape> {
  readonly from: readonly Role[];
  readonly to: Readonly<Partial<Record<Service, string>>>;
  readonly body: S;
  readonly schema?: number;
}

const declare =
  (kind: Message['kind']) =>
  <S extends Shape>(name: string, { from, to, body, schema = 1 }: Declaration<S>): Message<Out<S>> => {
    for (const address of Object.values(to))
      for (const [, field = ''] of address.matchAll(/\{(\w+)\}/g))
        if (!(field in body)) throw new Error(`${name} is addressed by {${field}}, which its body does not have`);
    // Out<S> is the output of this object, but zod's types do not show that for a generic shape
    return { name, kind, schema, from, to, body: z.strictObject(body) as unknown as z.ZodType<Out<S>> };
  };

export const command = declare('command');
export const event = declare('event');
export const act = declare('act');

/** A message on its way to one receiver. */
export interface Envelope {
  /** `<msg|act>.<to>.<run>.<key>.<from>.<name>` */
  readonly subject: string;
  readonly id: string;
  /** The id of the message that led to this one: together, causes tell the story of an episode. */
  readonly cause: string | null;
  readonly schema: number;
  readonly body: unknown;
}

export interface Subject {
  readonly lane: 'msg' | 'act';
  readonly to: Service;
  /** `run.key`: which instance of the receiver. */
  readonly address: string;
  readonly from: Role;
  readonly name: string;
}

const laneOf = (message: Message): Subject['lane'] => (message.kind === 'act' ? 'act' : 'msg');

/** The subjects that `from` may use for a message, with wildcards for the address: one for each receiver. */
export const patternsOf = (message: Message, from: Role): string[] =>
  Object.keys(message.to).map((to) => `${laneOf(message)}.${to}.*.*.${from}.${message.name}`);

/**
 * One copy for each receiver, with its subject. Throws if the body does not fit its schema, which is the sender's bug.
 */
export function seal<B>(message: Message<B>, body: B, from: Role): Pick<Envelope, 'subject' | 'schema' | 'body'>[] {
  const parsed = message.body.parse(body);
  return Object.entries(message.to).map(([to, template]) => ({
    subject: `${laneOf(message as Message)}.${to}.${fill(template, parsed)}.${from}.${message.name}`,
    schema: message.schema,
    body: parsed,
  }));
}

const fill = (template: string, body: unknown): string =>
  template
    .split('.')
    .map((part) => token.parse(part.startsWith('{') ? String(Object(body)[part.slice(1, -1)]) : part))
    .join('.');

/** Undefined if `seal` did not make it: an address with a wildcard would match those of others. */
export function parseSubject(subject: string): Subject | undefined {
  const [lane, to, run = '', key = '', from, name, ...rest] = subject.split('.');
  if ((lane !== 'msg' && lane !== 'act') || !name || rest.length > 0) return undefined;
  if (!tokens.test(run) || !tokens.test(key)) return undefined;
  return { lane, to: to as Service, address: `${run}.${key}`, from: from as Role, name };
}
