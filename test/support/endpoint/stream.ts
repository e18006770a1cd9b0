// An answer as server-sent events.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerScript } from './strict.ts';
import { logprobOf } from './tokens.ts';

/** What may be wrong with a stream. */
export interface Sending {
  /** It ends in the middle, with or without a closed connection. */
  readonly half?: 'closed' | 'ended';
  /** Another model says that it answered. */
  readonly otherModel?: string;
  /** A chunk is no JSON, or is none that was promised. */
  readonly badJson?: 'syntax' | 'shape';
  readonly withoutLogprobs?: boolean;
  /** So many tokens have no id, as happened in a vLLM with tool parsers. */
  readonly lostIds?: number;
  readonly withoutUsage?: boolean;
  readonly chunkMs?: number;
  /** Every call has the index 0, as with some servers. */
  readonly indexless?: boolean;
}
export interface Said {
  readonly answer: AnswerScript;
  readonly model: string;
  readonly prompt: readonly number[];
  readonly completion: readonly number[];
  readonly ids: boolean;
  readonly logprobs: boolean;
  readonly wrong: Sending;
}

/** Answers are told in so many parts. */
const parts = 5;

export async function send(response: ServerResponse, said: Said): Promise<void> {
  const { wrong } = said;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunks = chunksOf(said);
  for (const [at, chunk] of chunks.entries()) {
    if (wrong.half && at > chunks.length / 2) {
      if (wrong.half === 'ended') response.end();
      else response.destroy();
      throw new Error('told to stop');
    }
    if (wrong.badJson && at === 2)
      response.write(`data: ${wrong.badJson === 'syntax' ? '{"choices": [' : '{"choices": 7}'}\n\n`);
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    if (wrong.chunkMs) await sleep(wrong.chunkMs);
  }
  await new Promise<void>((resolve) => response.end('data: [DONE]\n\n', resolve));
}

function chunksOf(said: Said): object[] {
  const { prompt, completion, ids, wrong } = said;
  const model = wrong.otherModel ?? said.model;
  const base = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model };
  const deltas = deltasOf(said.answer, wrong);
  const begin = {
    ...base,
    choices: [choice({ role: 'assistant', content: '' })],
    ...(ids ? { prompt_token_ids: prompt } : {}),
  };
  const middle = deltas.map((delta, at) => ({
    ...base,
    choices: [{ ...choice(delta), ...tokensAt(said, at, deltas.length) }],
  }));
  const end = { ...base, choices: [{ ...choice({}), finish_reason: finishOf(said.answer) }] };
  const usage = { prompt_tokens: prompt.length, completion_tokens: completion.length };
  const total = { ...usage, total_tokens: prompt.length + completion.length };
  return [begin, ...middle, end, ...(wrong.withoutUsage ? [] : [{ ...base, choices: [], usage: total }])];
}

const choice = (delta: object) => ({ index: 0, delta, logprobs: null, finish_reason: null });
const finishOf = ({ finish, calls }: AnswerScript): string => finish ?? (calls?.length ? 'tool_calls' : 'stop');

/** The tokens of one of so many chunks; parsers hold text back, so they need not be those of its text. */
function tokensAt({ completion, ids, logprobs, wrong }: Said, at: number, of: number): object {
  const share = Math.ceil(completion.length / of);
  const mine = completion.slice(at * share, (at + 1) * share);
  const lost = ids && wrong.lostIds && at === 0 ? wrong.lostIds : 0;
  const content = mine.map((token, n) => ({ token: `t${token}`, logprob: logprobOf(token, at * share + n) }));
  return {
    ...(ids ? { token_ids: mine.slice(lost) } : {}),
    ...(logprobs && !wrong.withoutLogprobs ? { logprobs: { content } } : {}),
  };
}

function deltasOf({ text, thinking, refusal, calls = [] }: AnswerScript, { indexless }: Sending): object[] {
  const deltas = [
    ...cut(thinking).map((reasoning) => ({ reasoning })),
    ...cut(text).map((content) => ({ content })),
    ...cut(refusal).map((some) => ({ refusal: some })),
    ...calls.flatMap((call, at) => {
      const index = indexless ? 0 : at;
      const begin = {
        index,
        id: `chatcmpl-tool-${at}`,
        type: 'function',
        function: { name: call.name, arguments: '' },
      };
      return [begin, ...cut(call.arguments).map((some) => ({ index, function: { arguments: some } }))].map((one) => ({
        tool_calls: [one],
      }));
    }),
  ];
  return deltas.length > 0 ? deltas : [{}];
}

const cut = (text = ''): string[] => {
  const size = Math.ceil(text.length / parts);
  return Array.from({ length: text === '' ? 0 : Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
};
