// What an endpoint can do, found out by asking it: once in each process, before the first answer that counts.
import { Failed } from '#kit/boundary';
import type { Endpoint } from '#protocol/mind';
import type { Answer } from './answer.ts';
import { complete, type Dialect, modelsAt, type Request } from './client.ts';
import { Fault, isTooLong } from './fault.ts';
import { modelFits } from './identity.ts';
import type { Patience } from './patience.ts';
import { Shared } from './shared.ts';
import { schemas } from './tools.ts';

export interface Abilities {
  readonly dialect: Dialect;
  /** Whether the model made several calls in one answer; null: it made none. */
  readonly parallel: boolean | null;
  readonly logprobs: boolean;
  /** Ids of the tokens of the prompt, and of the answer. */
  readonly tokenIds: boolean;
  /** Tokens of the context window, as the endpoint says; null: it does not. */
  readonly contextTokens: number | null;
  /** Why tokens cannot be learned from; empty: they can. */
  readonly why: string;
}

/** From what most is known of to what every server takes. */
const dialects: readonly Dialect[] = [
  { tools: true, tokens: true, seed: true, limit: 'max_tokens' },
  { tools: false, tokens: true, seed: true, limit: 'max_tokens' },
  { tools: true, tokens: false, seed: true, limit: 'max_tokens' },
  { tools: true, tokens: false, seed: false, limit: 'max_completion_tokens' },
  { tools: false, tokens: false, seed: true, limit: 'max_tokens' },
  { tools: false, tokens: false, seed: false, limit: 'max_completion_tokens' },
];

const known = new Shared<Abilities>();
export const forgetAbilities = (): void => known.clear();

/** Rejects with a failure of the mind; it is asked again then. */
export function abilitiesOf(endpoint: Endpoint, patience: Patience): Promise<Abilities> {
  const { baseUrl, model, calls } = endpoint;
  return known.get(JSON.stringify([baseUrl, model, calls]), () => findOut(endpoint, patience));
}

async function findOut(endpoint: Endpoint, patience: Patience): Promise<Abilities> {
  const contextTokens = await windowOf(endpoint, patience);
  const wanted = { auto: [true, false], native: [true], text: [false] }[endpoint.calls];
  const refusals: Fault[] = [];
  for (const dialect of dialects.filter(({ tools }) => wanted.includes(tools))) {
    const tried = await tryOut({ endpoint, dialect, patience });
    if (!(tried instanceof Fault)) return abilitiesFrom(tried, { endpoint, dialect, contextTokens });
    // the plainest words for what is missing are those of the first request without extras
    if (!dialect.tokens || refusals.length === 0) refusals.push(tried);
  }
  throw refusals[1] ?? refusals[0] ?? new Failed('mind/refused', `there is no way to ask ${endpoint.model}`);
}

/** The window that /models tells of; not every server has that list. */
async function windowOf(endpoint: Endpoint, patience: Patience): Promise<number | null> {
  try {
    const models = await patience.ask(endpoint, (attempt) => modelsAt(endpoint, attempt));
    const served = models.find(({ id }) => id === endpoint.model);
    return served?.max_model_len ?? served?.context_length ?? served?.meta?.n_ctx ?? null;
  } catch (error) {
    const skips = error instanceof Fault && (error.status === 404 || error.code === 'mind/unfit-answer');
    if (skips) return null;
    throw error;
  }
}

interface Trial {
  readonly endpoint: Endpoint;
  readonly dialect: Dialect;
  readonly patience: Patience;
}

/** Enough for a model that thinks before it calls. */
const mostTokens = 2_048;
const question = 'Call the tool list_files twice, both calls in this one answer.';

async function tryOut({ endpoint, dialect, patience }: Trial): Promise<Answer | Fault> {
  const request: Request = {
    model: endpoint.model,
    messages: [{ role: 'user', content: question }],
    tools: schemas.filter(({ function: { name } }) => name === 'list_files'),
    // the likeliest answer, so that every process finds the same; models without a seed often take no temperature either
    temperature: dialect.seed ? 0 : 1,
    topP: 1,
    seed: 0,
    answerTokens: Math.min(mostTokens, endpoint.answerTokens),
  };
  try {
    const answer = await patience.ask(endpoint, (attempt) => complete(endpoint, { request, dialect }, attempt));
    modelFits(endpoint, { asked: endpoint.model, answered: answer.model });
    return answer;
  } catch (error) {
    if (error instanceof Fault && (error.status === 400 || error.status === 422) && !isTooLong(error)) return error;
    throw error;
  }
}

type Found = Pick<Trial, 'endpoint' | 'dialect'> & Pick<Abilities, 'contextTokens'>;

function abilitiesFrom(answer: Answer, { endpoint, dialect, contextTokens }: Found): Abilities {
  const called = answer.calls.length > 0;
  const tools = dialect.tools && (called || endpoint.calls === 'native');
  const { prompt, completion, logprobs } = answer.tokens;
  const tokenIds = prompt !== null && prompt.length > 0 && completion.length > 0;
  return {
    dialect: { ...dialect, tools },
    parallel: called ? answer.calls.length > 1 : null,
    logprobs: logprobs.length > 0,
    tokenIds,
    contextTokens,
    why: whyNot(answer, { dialect, endpoint }),
  };
}

function whyNot({ tokens, usage }: Answer, { dialect, endpoint }: Pick<Found, 'dialect' | 'endpoint'>): string {
  const where = `the endpoint ${endpoint.baseUrl}`;
  const { prompt, completion, logprobs } = tokens;
  if (!dialect.tokens) return `${where} refuses requests for token ids and log-probabilities; vLLM gives them`;
  if (!prompt?.length || completion.length === 0) return `${where} gives no token ids; vLLM does`;
  if (logprobs.length === 0) return `${where} gives no log-probabilities; vLLM does`;
  if (logprobs.length !== completion.length)
    return `${where} gives ${logprobs.length} log-probabilities for ${completion.length} tokens`;
  if (usage && usage.completion !== completion.length)
    return `${where} gives ${completion.length} token ids, but counts ${usage.completion} tokens: some are missing`;
  return '';
}
