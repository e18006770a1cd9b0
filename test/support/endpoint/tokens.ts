// A tokenizer and a chat template, small and deterministic: texts are cut into pieces of four characters, message by
// message, so that a prompt that only grows keeps its tokens.
import { createHash } from 'node:crypto';
import type { AnswerScript, ChatRequest } from './strict.ts';

const marks: readonly string[] = ['<|im_start|>', '<|im_end|>', '<think>', '</think>', '<tool_call>', '</tool_call>'];
const plainFrom = marks.length;

const ids = new Map<string, number>();

function idOf(piece: string): number {
  const id = ids.get(piece) ?? plainFrom + (createHash('sha256').update(piece).digest().readUInt32LE() % 150_000);
  ids.set(piece, id);
  return id;
}

export function tokensOf(text: string): number[] {
  const parts = text.split(/(<\|im_start\|>|<\|im_end\|>|<\/?think>|<\/?tool_call>)/).filter((part) => part !== '');
  return parts.flatMap((part) => {
    const mark = marks.indexOf(part);
    return mark >= 0 ? [mark] : (part.match(/[\s\S]{1,4}/g) ?? []).map(idOf);
  });
}

const spelled = (calls: readonly { name: string; arguments: string }[]): string =>
  calls.map((call) => `<tool_call>${call.name} ${call.arguments}</tool_call>`).join('');

type Message = ChatRequest['messages'][number];

/** `forgets`: it leaves out what was thought earlier, as many templates do. */
function spellMessage(message: Message, forgets: boolean): string {
  if (message.role !== 'assistant') return message.content;
  const { reasoning, content, tool_calls: calls = [] } = message;
  const thought = reasoning && !forgets ? `<think>${reasoning}</think>` : '';
  return thought + (content ?? '') + spelled(calls.map((call) => call.function));
}

export function promptTokens({ messages, tools }: ChatRequest, forgets: boolean): number[] {
  const head = tools ? tokensOf(`<|im_start|>tools\n${JSON.stringify(tools)}<|im_end|>`) : [];
  const all = messages.flatMap((message) =>
    tokensOf(`<|im_start|>${message.role}\n`).concat(tokensOf(spellMessage(message, forgets)), tokensOf('<|im_end|>')),
  );
  return [...head, ...all, ...tokensOf('<|im_start|>assistant\n')];
}

export const answerTokens = ({ thinking, text, calls, finish }: AnswerScript): number[] => [
  ...tokensOf((thinking ? `<think>${thinking}</think>` : '') + (text ?? '') + spelled(calls ?? [])),
  ...(finish === 'length' ? [] : [1]),
];

/** A log-probability that depends on the token and its place alone. */
export const logprobOf = (token: number, at: number): number => -((token * 31 + at * 7) % 997) / 997;
