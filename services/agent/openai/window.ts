// Keeps a conversation within the context window: once it is too long, the long texts of its oldest rounds give way to
// lines that say what was dropped and how to get it again. The same episode always drops the same at the same move, and
// drops much at once, so that prompts stay continuations of each other for as long as possible.
import type { Usage } from '#protocol/mind';
import type { Message } from './message.ts';
import { nativeMessages } from './native.ts';
import type { Round } from './round.ts';
import { textMessages } from './text.ts';

export interface Conversation {
  readonly style: 'native' | 'text';
  /** System prompt and task: they always stay. */
  readonly opening: readonly Message[];
  readonly rounds: readonly { readonly round: Round; readonly usage: Usage }[];
  /** Characters of what is sent besides messages: the tools. */
  readonly besides: number;
}

/** Characters of a token where nothing is known, and what it is taken to be at least and at most: JSON has many signs. */
const usual = 3;
const [fewest, mostOfToken] = [1.5, 5];
/** When something has to go, so much goes that the rest takes this share of the room. */
const refill = 0.6;

/** The messages, in at most about so many tokens; null: not even the newest round fits when it is shortened. */
export function messagesWithin(conversation: Conversation, tokens: number): Message[] | null {
  const dropped = droppedOf(conversation, tokens);
  if (dropped === null) return null;
  const { opening, rounds } = conversation;
  return [...opening, ...rounds.flatMap((told, at) => messagesOf(conversation, told, { at, brief: at < dropped }))];
}

interface As {
  readonly at: number;
  readonly brief: boolean;
}
const messagesOf = (
  { style }: Pick<Conversation, 'style'>,
  { round }: { round: Round },
  { at, brief }: As,
): Message[] => (style === 'native' ? nativeMessages({ round, brief }, at) : textMessages({ round, brief }));

const lengthOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);

interface Sizes {
  readonly full: number;
  readonly brief: number;
}
/** Where the decisions have come to: characters of the prompt, rounds that are shortened, characters of a token. */
interface Standing {
  readonly size: number;
  readonly dropped: number;
  readonly perToken: number;
}

/** How many of the oldest rounds are shortened, as it was decided from move to move. */
function droppedOf(conversation: Conversation, tokens: number): number | null {
  const { opening, rounds, besides } = conversation;
  const sizes = rounds.map((told, at) => ({
    full: lengthOf(messagesOf(conversation, told, { at, brief: false })),
    brief: lengthOf(messagesOf(conversation, told, { at, brief: true })),
  }));
  let now: Standing = { size: lengthOf(opening) + besides, dropped: 0, perToken: usual };
  for (const [move, { usage }] of rounds.entries()) {
    now = shortened(now, sizes.slice(0, move), tokens);
    const measured = usage.promptTokens > 0 ? now.size / usage.promptTokens : now.perToken;
    const perToken = Math.min(mostOfToken, Math.max(fewest, measured));
    now = { ...now, size: now.size + (sizes[move]?.full ?? 0), perToken };
  }
  const { size, dropped, perToken } = shortened(now, sizes, tokens);
  return size > tokens * perToken ? null : dropped;
}

/** The newest round stays as it is, unless there is no room for it either. */
function shortened(now: Standing, sizes: readonly Sizes[], tokens: number): Standing {
  let { size, dropped } = now;
  const room = tokens * now.perToken;
  if (size <= room) return now;
  for (; dropped < sizes.length; dropped += 1) {
    if (size <= (dropped < sizes.length - 1 ? refill : 1) * room) break;
    size += (sizes[dropped]?.brief ?? 0) - (sizes[dropped]?.full ?? 0);
  }
  return { ...now, size, dropped };
}
