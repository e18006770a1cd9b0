// What a real endpoint would refuse is refused here: fields that nobody knows, values of the wrong type, messages out of
// order, calls that are answered twice or never.
import { z } from 'zod';

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name, arguments: z.string() }),
});
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string().min(1) }),
  z.strictObject({ role: z.literal('user'), content: z.string().min(1) }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(call).min(1).optional(),
    reasoning: z.string().optional(),
    reasoning_content: z.string().optional(),
  }),
]);
const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({ name, description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
});
const plain = {
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().positive().max(1).optional(),
  seed: z.int().optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  tools: z.array(tool).min(1).optional(),
  tool_choice: z.enum(['auto', 'none', 'required']).optional(),
  logprobs: z.boolean().optional(),
};
/** What only vLLM takes. */
const ofVllm = {
  return_token_ids: z.boolean().optional(),
  top_k: z.int().min(-1).optional(),
  min_p: z.number().min(0).max(1).optional(),
  repetition_penalty: z.number().positive().max(2).optional(),
};
const wide = z.strictObject({ ...plain, ...ofVllm });
const narrow = z.strictObject(plain);
export type ChatRequest = z.infer<typeof wide>;

/** An answer as a test writes it. */
export interface AnswerScript {
  readonly text?: string;
  readonly thinking?: string;
  readonly refusal?: string;
  /** `arguments` as the model spells them. */
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish?: 'stop' | 'length' | 'content_filter';
}

export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** What this server can do; the default is a vLLM with everything switched on. */
export interface Abilities {
  readonly vllm: boolean;
  readonly tools: boolean;
  /** How the limit of an answer is spelled. */
  readonly limit: 'max_tokens' | 'max_completion_tokens';
}

export function read(body: unknown, { vllm, tools, limit }: Abilities): ChatRequest {
  const parsed = (vllm ? wide : narrow).safeParse(body);
  if (!parsed.success) throw new Refusal(400, z.prettifyError(parsed.error));
  const request = parsed.data;
  const other = limit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  if (request[other] !== undefined) throw new Refusal(400, `${other} is not supported with this model: use ${limit}`);
  if (request.tools && !tools) throw new Refusal(400, 'this server has no parser of tool calls: it takes no tools');
  inOrder(request);
  return request;
}

function inOrder({ messages, tools }: ChatRequest): void {
  let open: string[] = [];
  const seen = new Set<string>();
  for (const [at, one] of messages.entries()) {
    if (one.role === 'tool') open = without(open, one.tool_call_id, at);
    else if (open.length > 0) throw new Refusal(400, `calls ${open.join(', ')} have no result before message ${at}`);
    else if (one.role === 'assistant') open = callsOf(one, { at, seen, tools });
    else if (one.role === 'system' && at > 0)
      throw new Refusal(400, `message ${at}: a system message must be the first`);
  }
  const last = messages.at(-1)?.role ?? 'nobody';
  if (open.length === 0 && ['user', 'tool'].includes(last)) return;
  throw new Refusal(400, `the last message is of role ${last}: there is nothing to answer`);
}

function without(open: readonly string[], id: string, at: number): string[] {
  if (open.includes(id)) return open.filter((one) => one !== id);
  throw new Refusal(400, `message ${at} is the result of ${id}, which is not open`);
}

type Assistant = Extract<ChatRequest['messages'][number], { role: 'assistant' }>;
function callsOf(
  { content, tool_calls: calls = [] }: Assistant,
  { at, seen, tools }: { at: number; seen: Set<string>; tools: ChatRequest['tools'] },
): string[] {
  if (!content && calls.length === 0) throw new Refusal(400, `message ${at} of the assistant is empty`);
  if (calls.length > 0 && !tools) throw new Refusal(400, `message ${at} has tool calls, but no tools are declared`);
  for (const { id, function: called } of calls) {
    if (seen.has(id)) throw new Refusal(400, `the id ${id} of a call is used twice`);
    seen.add(id);
    if (!isTable(called.arguments)) throw new Refusal(400, `the arguments of ${id} are no JSON object`);
  }
  return calls.map(({ id }) => id);
}

function isTable(text: string): boolean {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}
