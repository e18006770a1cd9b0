// Calls as a model spelled them, read: each is one that can be made, or says what is wrong with it.
import type { Asked } from '../mind.ts';
import { safe } from './access.ts';
import type { Answer, Called } from './answer.ts';
import { noCall, wholeAnswer } from './round.ts';
import { endings, toolNamed, toolNames } from './tools.ts';

/** How much is kept of what could not be read: enough to recognise it. */
const most = 2_000;
const cut = (text: string): string => (text.length > most ? `${text.slice(0, most)}…` : text);
const show = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

interface Given {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call of these inputs, or what is wrong with it. */
export function asked(given: Given): Asked {
  const call = checked(given);
  return call.problem === undefined ? call : { ...call, problem: safe(call.problem) };
}

function checked({ name, input }: Given): Asked {
  const tool = toolNamed(name);
  const texts = Object.fromEntries(Object.entries(input).map(([key, value]) => [safe(key), textOf(value)]));
  const call = { tool: safe(name).slice(0, 128), input: texts };
  if (!tool) return { ...call, problem: `there is no tool ${show(name)}: there are ${toolNames.join(', ')}` };
  const wrong = Object.entries(input).find(([, value]) => typeof value !== 'string');
  const takes = Object.keys(tool.takes);
  if (wrong) return { ...call, problem: `"${wrong[0]}" of ${name} is ${kindOf(wrong[1])}: it must be a text` };
  const missing = takes.find((one) => !Object.hasOwn(input, one));
  if (missing) return { ...call, problem: `"${missing}" is missing: ${name} takes ${takes.join(', ')}` };
  const strange = Object.keys(input).find((one) => !takes.includes(one));
  if (strange === undefined) return call;
  const all = takes.length > 0 ? takes.join(', ') : 'nothing';
  return { ...call, problem: `${show(strange)} is no input of ${name}: it takes ${all}` };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? safe(value) : cut(safe(JSON.stringify(value) ?? ''));

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A call that cannot be read at all. */
export const unreadable = (name: string, text: string, problem: string): Asked => ({
  tool: safe(name).slice(0, 128),
  input: text === '' ? {} : { arguments: cut(safe(text)) },
  problem: safe(problem),
});

/** Calls of the API. Those of a tool without inputs may have no arguments. */
export function nativeCalls({ calls, finish }: Pick<Answer, 'calls' | 'finish'>): Asked[] {
  return calls.map((call, at) => nativeCall(call, finish === 'length' && at === calls.length - 1));
}

function nativeCall({ name, text }: Called, isLast: boolean): Asked {
  if (text.trim() === '') return asked({ name, input: {} });
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    const why = isLast
      ? 'they were cut off, because the answer had reached the most tokens that one may have'
      : `${error instanceof Error ? error.message : error}: write one JSON object`;
    return unreadable(name, text, `the arguments of ${name} are no JSON: ${why}`);
  }
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return asked({ name, input: { ...input } });
  if (input === null) return asked({ name, input: {} });
  return unreadable(name, text, `the arguments of ${name} are ${kindOf(input)}: they must be one JSON object`);
}

/** The calls of a whole answer, with what it has to be told about the answer itself. */
export function allCalls(answer: Answer, calls: readonly Asked[], answerTokens: number): Asked[] {
  const about = (problem: string): Asked => ({ tool: wholeAnswer, input: {}, problem });
  const ends = calls.findIndex(({ tool, problem }) => problem === undefined && endings.includes(tool));
  const after = ends < 0 ? [] : calls.slice(ends + 1);
  const made = ends < 0 ? [...calls] : calls.slice(0, ends);
  const notes = [...wrongWith(answer, calls, answerTokens)];
  if (after.length > 0)
    notes.push(
      `"${calls[ends]?.tool}" ends an answer, so ${after.length} ${after.length === 1 ? 'call' : 'calls'} after it ` +
        `(${after.map(({ tool }) => tool).join(', ')}) ${after.length === 1 ? 'was' : 'were'} not made: make them in another answer.`,
    );
  return [...made, ...notes.map(about), ...calls.slice(ends < 0 ? calls.length : ends, ends + 1)];
}

function* wrongWith(answer: Answer, calls: readonly Asked[], answerTokens: number): Iterable<string> {
  if (answer.finish === 'length')
    yield `Your answer was cut off: it may have at most ${answerTokens} tokens. Think and write less at once.`;
  else if (answer.refusal !== '' || answer.finish === 'content_filter')
    yield 'You refused, or your answer was withheld. The task is harmless: it trains a tiny model on short words. Go on, or call finish.';
  else if (calls.length === 0 && answer.text.trim() === '')
    yield 'Your answer was empty. Every answer must call at least one tool.';
  else if (calls.length === 0) yield noCall;
}
