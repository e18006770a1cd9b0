import type { Message } from '#protocol/message';
import type { Value } from '#protocol/value';
import type { Actor, Saved } from './actor.ts';
import { log } from './log.ts';

// For counting: what a saved turn heard, what it sent, and which values it set.

/** Counts a turn. An error there costs a count, never a turn. */
export function count<S>({ name, counting }: Actor<S>, turn: Saved<S>): void {
  try {
    counting?.(turn);
  } catch (error) {
    log.error({ actor: name, message: turn.message.name, error: String(error) }, 'a turn could not be counted');
  }
}

type Heard = Pick<Saved<unknown>, 'message' | 'body'>;
type Said = Pick<Saved<unknown>, 'sent'>;

/** The body of the message that the turn handled, if it is of this kind. */
export const heard = <B>({ message, body }: Heard, wanted: Message<B>): B | undefined =>
  message.name === wanted.name ? (body as B) : undefined; // it was parsed by the schema of this message

/** The bodies of the messages of this kind that the turn sent; one to several receivers is listed once. */
export const said = <B>({ sent }: Said, wanted: Message<B>): B[] => [
  ...new Set(
    sent.flatMap((one) =>
      one.kind === 'message' && one.sealed.subject.endsWith(`.${wanted.name}`) ? [one.sealed.body as B] : [],
    ),
  ),
];

/** What the turn set this value to, if it did. */
export const made = <B extends { version: number }>({ sent }: Said, wanted: Value<B>): B | undefined =>
  sent.flatMap((one) => (one.kind === 'value' && one.value.name === wanted.name ? [one.body as B] : [])).at(-1);
