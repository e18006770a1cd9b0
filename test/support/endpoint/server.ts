/**
 * A server of a language model, as strict as real ones: it speaks HTTP on loopback, streams, checks every request, counts
 * tokens, and loads adapters. A test scripts what its model answers, and which of its answers go wrong.
 */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { Loras } from './loras.ts';
import { type Sending, send } from './stream.ts';
import { type Abilities, type AnswerScript, type ChatRequest, Refusal, read } from './strict.ts';
import { answerTokens, promptTokens } from './tokens.ts';

/** What goes wrong with one answer. */
export interface Mishap extends Sending {
  /** Is answered instead, with this status. */
  readonly status?: number;
  readonly retryAfter?: string;
  /** Nothing is ever answered. */
  readonly hang?: boolean;
  readonly firstTokenMs?: number;
}

export interface Options extends Partial<Abilities> {
  readonly model?: string;
  /** Tokens of the context window; null: it is as large as needed, and /models does not tell. */
  readonly window?: number | null;
  /** Whether ids of tokens are given (with `vllm`). */
  readonly tokenIds?: boolean;
  readonly lora?: boolean;
  readonly key?: string;
  /** Its template leaves out what was thought earlier. */
  readonly forgets?: boolean;
  /** What the model says to a conversation; `turn` counts its answers in it so far. */
  readonly script: (request: ChatRequest, turn: number) => AnswerScript;
  /** What goes wrong with the so-manyth request of a conversation, from 0. */
  readonly mishap?: (request: ChatRequest, times: number) => Mishap | undefined;
}

export interface Endpoint {
  readonly baseUrl: string;
  readonly model: string;
  /** Requests for an answer, in order, without those that only ask what the endpoint can do. */
  readonly requests: readonly ChatRequest[];
  /** How often each conversation was answered completely. */
  readonly answered: ReadonlyMap<string, number>;
  readonly loras: Loras;
  /** Most answers that were under way at once. */
  readonly atOnce: () => number;
  close(): Promise<void>;
}

/** The same messages and seed are the same conversation at the same point. */
export const conversationOf = ({ messages, seed }: ChatRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([messages, seed]))
    .digest('hex')
    .slice(0, 16);

const isProbe = ({ messages }: ChatRequest): boolean =>
  /^Call the tool list_files twice/.test(messages[0]?.content ?? '');
const probed: AnswerScript = {
  calls: [
    { name: 'list_files', arguments: '{}' },
    { name: 'list_files', arguments: '{}' },
  ],
};

export async function startEndpoint(t: Pick<ExecutionContext, 'teardown'>, options: Options): Promise<Endpoint> {
  const desk = new Desk(options);
  const server = createServer((request, response) => {
    desk.answer(request, response).catch((error: unknown) => fail(response, error, options.key));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    desk.closing.abort();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(close);
  const at = server.address();
  return Object.assign(desk, { baseUrl: `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}/v1`, close });
}

function fail(response: ServerResponse, error: unknown, key = ''): void {
  const status = error instanceof Refusal ? error.status : 500;
  const message = `${error instanceof Error ? error.message : String(error)}${key && ` (key ${key})`}`;
  if (response.writableEnded) return;
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type: 'error', code: status } }));
}

class Desk {
  readonly closing = new AbortController();
  readonly model: string;
  readonly requests: ChatRequest[] = [];
  readonly answered = new Map<string, number>();
  readonly loras = new Loras();
  readonly #options: Options;
  readonly #asked = new Map<string, number>();
  #underWay = 0;
  #most = 0;

  constructor(options: Options) {
    this.#options = options;
    setMaxListeners(0, this.closing.signal); // one for each answer that is under way
    this.model = options.model ?? 'tiny-instruct';
  }

  atOnce = (): number => this.#most;

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { key, lora = true } = this.#options;
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      throw new Refusal(401, `incorrect key: ${request.headers.authorization}`);
    const path = `${request.method} ${request.url}`;
    if (path === 'GET /v1/models') return json(response, { object: 'list', data: this.#models() });
    const body = await bodyOf(request);
    if (path === 'POST /v1/chat/completions') return await this.#chat(body, response);
    if (lora && path === 'POST /v1/load_lora_adapter') return json(response, await this.loras.load(body));
    if (lora && path === 'POST /v1/unload_lora_adapter') return json(response, await this.loras.unload(body));
    throw new Refusal(404, 'Not Found');
  }

  #models(): object[] {
    const { window = 65_536 } = this.#options;
    const base = { id: this.model, ...(window === null ? {} : { max_model_len: window }) };
    return [base, ...this.loras.list().map((one) => ({ ...one, parent: this.model }))];
  }

  async #chat(body: unknown, response: ServerResponse): Promise<void> {
    const { vllm = true, tools = true, limit = 'max_tokens', script, mishap, forgets = false } = this.#options;
    const request = read(body, { vllm, tools, limit });
    if (request.model !== this.model && !this.loras.has(request.model))
      throw new Refusal(404, `The model \`${request.model}\` does not exist.`);
    const prompt = promptTokens(request, forgets);
    this.#fits(prompt.length, request);
    const name = conversationOf(request);
    const times = this.#asked.get(name) ?? 0;
    this.#asked.set(name, times + 1);
    const probe = isProbe(request);
    if (!probe) this.requests.push(request);
    const wrong = probe ? undefined : mishap?.(request, times);
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    const answer = probe ? (request.tools ? probed : { text: 'I cannot call tools.' }) : script(request, turn);
    this.#most = Math.max(this.#most, ++this.#underWay);
    try {
      await this.#say(response, { request, wrong, prompt, answer });
      if (!probe) this.answered.set(name, (this.answered.get(name) ?? 0) + 1);
    } finally {
      this.#underWay -= 1;
    }
  }

  #fits(prompt: number, { max_tokens, max_completion_tokens }: ChatRequest): void {
    const { window = 65_536 } = this.#options;
    const asked = max_tokens ?? max_completion_tokens ?? 1;
    if (window !== null && prompt + asked > window)
      throw new Refusal(400, `the maximum context length is ${window} tokens, but ${prompt} + ${asked} are asked for`);
  }

  async #say(response: ServerResponse, saying: Saying): Promise<void> {
    const { request, wrong, prompt, answer } = saying;
    if (wrong?.hang) return await sleep(1e8, undefined, { signal: this.closing.signal });
    if (wrong?.firstTokenMs) await sleep(wrong.firstTokenMs, undefined, { signal: this.closing.signal });
    if (wrong?.status) {
      const more = wrong.retryAfter === undefined ? {} : { 'retry-after': wrong.retryAfter };
      response.writeHead(wrong.status, { 'content-type': 'application/json', ...more });
      response.end(JSON.stringify({ error: { message: `told to answer ${wrong.status}` } }));
      throw new Refusal(wrong.status, 'told to'); // it is not counted as an answer
    }
    const ids = (this.#options.tokenIds ?? true) && request.return_token_ids;
    await send(response, {
      ...{ answer, model: request.model, prompt, completion: answerTokens(answer), wrong: wrong ?? {} },
      ids: ids ?? false,
      logprobs: request.logprobs ?? false,
    });
  }
}

interface Saying {
  readonly request: ChatRequest;
  readonly wrong: Mishap | undefined;
  readonly prompt: readonly number[];
  readonly answer: AnswerScript;
}

const json = (response: ServerResponse, body: unknown): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(z.instanceof(Buffer).parse(part));
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new Refusal(400, 'the body is no JSON');
  }
}
