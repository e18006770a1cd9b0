import type { Message } from '#protocol/message';
import type { Value } from '#protocol/value';
import type { Actor, Saved } from './actor.ts';
import { log } from './log.ts';

// What is counted of a turn is read off what was saved of it: what it heard, what it said, what it made so.

/** Tells a turn to whoever counts. A mistake there costs a count, never a turn. */
export function count<S>({ name, counting }: Actor<S>, turn: Saved<S>): void {
  try {
    counting?.(turn);
  } catch (error) {
    log.error({ actor: name, message: turn.message.name, error: String(error) }, 'a turn could not be counted');
  }
}

type Heard = Pick<Saved<unknown>, 'message' | 'body'>;
type Said = Pick<Saved<unknown>, 'sent'>;

/** The body, where the turn was about this message. */
export const heard = <B>({ message, body }: Heard, wanted: Message<B>): B | undefined =>
  message.name === wanted.name ? (body as B) : undefined; // it was parsed by the schema of the message of that name

/** The bodies of this message that the turn sent; one that goes to several receivers is there once. */
export const said = <B>({ sent }: Said, wanted: Message<B>): B[] => [
  ...new Set(
    sent.flatMap((one) =>
      one.kind === 'message' && one.sealed.subject.endsWith(`.${wanted.name}`) ? [one.sealed.body as B] : [],
    ),
  ),
];

/** What the turn made of this value, where it did. */
export const made = <B extends { version: number }>({ sent }: Said, wanted: Value<B>): B | undefined =>
  sent.flatMap((one) => (one.kind === 'value' && one.value.name === wanted.name ? [one.body as B] : [])).at(-1);
