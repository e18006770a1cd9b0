// A conversation in which tools are called through the API.
import type { Message } from './message.ts';
import { type CallOfRound, type Round, shown } from './round.ts';

export interface Told {
  readonly round: Round;
  /** Whether there is no room for its long texts. */
  readonly brief: boolean;
}

/** `number`: which round it is, so that every call has a name of its own. */
export function nativeMessages({ round, brief }: Told, number: number): Message[] {
  const { said, thinking, calls, told } = round;
  const text = shown(said, brief);
  const thought = thinking !== '' && !brief ? { reasoning: thinking, reasoning_content: thinking } : {};
  const named = calls.map((call, at) => ({ call, id: `call_${number}_${at}` }));
  const spelled = named.map(({ call, id }) => ({ id, type: 'function' as const, function: spell(call, brief) }));
  const content = text === '' && calls.length === 0 ? '(nothing)' : text;
  return [
    { role: 'assistant', content, ...thought, ...(calls.length > 0 ? { tool_calls: spelled } : {}) },
    ...named.map(({ call, id }) => ({ role: 'tool' as const, tool_call_id: id, content: shown(call.result, brief) })),
    ...(told.length > 0 ? [{ role: 'user' as const, content: told.map((one) => shown(one, brief)).join('\n\n') }] : []),
  ];
}

/** Servers refuse other names of functions, even in what was said earlier. */
const nameOf = (tool: string): string => tool.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';

function spell({ tool, input }: CallOfRound, brief: boolean): { name: string; arguments: string } {
  const texts = Object.entries(input).map(([name, piece]) => [name, shown(piece, brief)]);
  return { name: nameOf(tool), arguments: JSON.stringify(Object.fromEntries(texts)) };
}
