// The only place that speaks to an endpoint.
import OpenAI from 'openai';
import { z } from 'zod';
import { access } from './access.ts';
import { type Answer, Growing } from './answer.ts';
import { type Place, unfit } from './fault.ts';
import type { Message } from './message.ts';
import type { Attempt } from './patience.ts';
import type { ToolSchema } from './tools.ts';

/** How requests to an endpoint are spelled, because not every server takes everything. */
export interface Dialect {
  /** Tools are declared, and called through the API. */
  readonly tools: boolean;
  /** Token ids, log-probabilities and settings of vLLM. */
  readonly tokens: boolean;
  readonly seed: boolean;
  readonly limit: 'max_tokens' | 'max_completion_tokens';
}
export interface Request {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
  readonly answerTokens: number;
}

const clients = new Map<string, OpenAI>();

/** One client for each endpoint: it keeps its connections. Retries are `Patience`'s. */
function clientOf(baseUrl: string): OpenAI {
  const there = clients.get(baseUrl);
  if (there) return there;
  const { key } = access();
  const made = new OpenAI({
    ...{ baseURL: baseUrl, apiKey: key ?? 'none', organization: null, project: null, adminAPIKey: null },
    ...{ maxRetries: 0, timeout: 3_600_000, logLevel: 'off' },
    defaultHeaders: key === undefined ? { authorization: null } : {},
  });
  clients.set(baseUrl, made);
  return made;
}

/** Another key is another client. */
export const forgetClients = (): void => clients.clear();

/** Asks the model for one answer, streamed. */
export async function complete(
  place: Place,
  { request, dialect }: { request: Request; dialect: Dialect },
  attempt: Attempt,
): Promise<Answer> {
  const growing = new Growing(place);
  const { signal } = attempt;
  const stream = await clientOf(place.baseUrl).chat.completions.create(bodyOf(request, dialect), { signal });
  attempt.heard();
  for await (const chunk of stream) {
    attempt.heard();
    growing.add(chunk);
  }
  return growing.done();
}

/**
 * A setting that is left out would be taken from the model's own configuration, so all are sent: log-probabilities are
 * those of what is sampled only if nothing else reshapes it.
 */
function bodyOf(request: Request, { tools, tokens, seed, limit }: Dialect) {
  return {
    model: request.model,
    messages: [...request.messages],
    temperature: request.temperature,
    top_p: request.topP,
    stream: true as const,
    stream_options: { include_usage: true },
    [limit]: request.answerTokens,
    ...(seed ? { seed: request.seed } : {}),
    ...(tools ? { tools: [...request.tools], tool_choice: 'auto' as const } : {}),
    ...(tokens ? { logprobs: true, return_token_ids: true, top_k: -1, min_p: 0, repetition_penalty: 1 } : {}),
  };
}

const model = z.object({
  id: z.string(),
  /** Path of an adapter (vLLM). */
  root: z.string().nullish(),
  /** Tokens of its context window: vLLM, others. */
  max_model_len: z.int().positive().nullish(),
  context_length: z.int().positive().nullish(),
  meta: z.object({ n_ctx: z.int().positive().nullish() }).nullish(),
});
const models = z.object({ data: z.array(model) });
export type Served = z.infer<typeof model>;

/** What the endpoint says that it serves. */
export async function modelsAt(place: Place, { signal }: Attempt): Promise<readonly Served[]> {
  const said = await clientOf(place.baseUrl).get('/models', { signal });
  const read = models.safeParse(said);
  if (read.success) return read.data.data;
  throw unfit(place, `/models is not a list of models: ${JSON.stringify(said)?.slice(0, 200)}`, { passing: true });
}

/** A request to a server that can load adapters while it runs. */
export async function adapterRequest(
  place: Place,
  { path, body }: { path: '/load_lora_adapter' | '/unload_lora_adapter'; body: Readonly<Record<string, string>> },
  { signal }: Attempt,
): Promise<void> {
  await clientOf(place.baseUrl).post(path, { body, signal });
}
