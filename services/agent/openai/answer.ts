// An answer as it is streamed: chunks in, one answer out.
import { z } from 'zod';
import { type Place, unfit } from './fault.ts';

/** A call as the model spelled it. */
export interface Called {
  readonly name: string;
  /** JSON, if the model got it right. */
  readonly text: string;
}
/** Exact tokens, as the endpoint gave them; what it did not give is null or missing. */
interface Tokens {
  readonly prompt: readonly number[] | null;
  readonly completion: readonly number[];
  readonly logprobs: readonly number[];
}
export interface Answer {
  readonly model: string;
  readonly text: string;
  readonly thinking: string;
  readonly refusal: string;
  readonly calls: readonly Called[];
  /** `stop`, `tool_calls`, `length`, `content_filter`, … */
  readonly finish: string;
  /** null: the endpoint does not say. */
  readonly usage: { readonly prompt: number; readonly completion: number } | null;
  readonly tokens: Tokens;
}

const call = z.object({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const delta = z.object({
  content: z.string().nullish(),
  /** vLLM says `reasoning`; earlier versions and others `reasoning_content`. */
  reasoning: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(call).nullish(),
});
const choice = z.object({
  delta: delta.nullish(),
  finish_reason: z.string().nullish(),
  logprobs: z.object({ content: z.array(z.object({ logprob: z.number() })).nullish() }).nullish(),
  /** vLLM, with `return_token_ids`: of this chunk. */
  token_ids: z.array(z.int().nonnegative()).nullish(),
});
const chunk = z.object({
  model: z.string().nullish(),
  choices: z.array(choice).nullish(),
  /** vLLM, with `return_token_ids`: in the first chunk. */
  prompt_token_ids: z.array(z.int().nonnegative()).nullish(),
  usage: z.object({ prompt_tokens: z.int().nonnegative(), completion_tokens: z.int().nonnegative() }).nullish(),
});

/** More is no answer to anything that is asked here, whatever is allowed. */
const mostCharacters = 8 * 2 ** 20;

export class Growing {
  readonly #place: Place;
  readonly #calls: { id: string; name: string; text: string }[] = [];
  readonly #at = new Map<number, { id: string; name: string; text: string }>();
  #model = '';
  #text = '';
  #thinking = '';
  #refusal = '';
  #finish: string | null = null;
  #usage: Answer['usage'] = null;
  #prompt: readonly number[] | null = null;
  readonly #completion: number[] = [];
  readonly #logprobs: number[] = [];
  #characters = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  add(raw: unknown): void {
    const read = chunk.safeParse(raw);
    if (!read.success) throw unfit(this.#place, `a chunk is not as promised: ${first(read.error)}`, { passing: true });
    const { model, choices, prompt_token_ids: prompt, usage } = read.data;
    this.#model = model || this.#model;
    this.#prompt = prompt ?? this.#prompt;
    if (usage) this.#usage = { prompt: usage.prompt_tokens, completion: usage.completion_tokens };
    const [one] = choices ?? [];
    if (one) this.#choice(one);
  }

  #choice({ delta: more, finish_reason, logprobs, token_ids }: z.infer<typeof choice>): void {
    this.#finish = finish_reason ?? this.#finish;
    this.#completion.push(...(token_ids ?? []));
    for (const { logprob } of logprobs?.content ?? []) this.#logprobs.push(logprob);
    if (!more) return;
    this.#text += this.#counted(more.content);
    this.#thinking += this.#counted(more.reasoning ?? more.reasoning_content);
    this.#refusal += this.#counted(more.refusal);
    for (const part of more.tool_calls ?? []) this.#call(part);
  }

  /** Some servers give every call the same index: another id with a name begins another call. */
  #call({ index, id, function: called }: z.infer<typeof call>): void {
    const at = index ?? Math.max(0, this.#calls.length - 1);
    const there = this.#at.get(at);
    const begins = !there || (id && id !== there.id && called?.name);
    const growing = begins ? { id: id ?? '', name: '', text: '' } : there;
    if (begins) {
      this.#at.set(at, growing);
      this.#calls.push(growing);
    }
    growing.name += this.#counted(called?.name);
    growing.text += this.#counted(called?.arguments);
  }

  #counted(text: string | null | undefined): string {
    this.#characters += text?.length ?? 0;
    if (this.#characters > mostCharacters)
      throw unfit(this.#place, `an answer has more than ${mostCharacters} characters`);
    return text ?? '';
  }

  /** Throws if the stream has ended before the answer. */
  done(): Answer {
    if (this.#finish === null) throw new Error('the stream ended without a finish_reason');
    const { text, thinking } = withoutThinking(this.#text, this.#thinking);
    return {
      ...{ model: this.#model, text, thinking, refusal: this.#refusal, finish: this.#finish, usage: this.#usage },
      calls: this.#calls.map(({ name, text: json }) => ({ name, text: json })),
      tokens: { prompt: this.#prompt, completion: this.#completion, logprobs: this.#logprobs },
    };
  }
}

const first = (error: z.ZodError): string => {
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'the whole'}: ${issue?.message}`;
};

/** Without a parser of its own for it, a server streams what a model thinks as the beginning of its text. */
function withoutThinking(text: string, thinking: string): Pick<Answer, 'text' | 'thinking'> {
  if (thinking !== '') return { text, thinking };
  const begun = text.replace(/^\s*<think>\s*/, '');
  const end = begun.indexOf('</think>');
  if (end >= 0) return { thinking: begun.slice(0, end).trim(), text: begun.slice(end + '</think>'.length).trimStart() };
  return begun === text ? { text, thinking } : { text: '', thinking: begun };
}
