/**
 * The last ids that an instance has handled, as one string, because it is saved with every turn and many small strings
 * would cost more than the rest of the record. An id has 22 characters; the oldest may be cut in two, and then matches
 * nothing.
 */
const longest = 32 * 24;

export const remember = (handled: string, id: string): string => `${handled.slice(-longest)}${quoted(id)}`;

export const isHandled = (handled: string, id: string): boolean => handled.includes(quoted(id));

/** Ids come from headers, which contain no line ends. */
const quoted = (id: string): string => `\n${id}\n`;
