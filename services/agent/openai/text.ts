// A conversation in which tools are called in the text of a model, for models whose server knows no tool calls. A call
// is lines between marks, so that nothing in a file has to be escaped; prompts/text-calls.md explains it to the model.
import type { Asked } from '../mind.ts';
import { asked, unreadable } from './calls.ts';
import type { Message } from './message.ts';
import type { Told } from './native.ts';
import { type CallOfRound, shown } from './round.ts';
import { toolNamed } from './tools.ts';

/** `<call write_file>`, or `<call write_file x7>`, which ends with `</call x7>`. */
const opening = /^\s*<call\s+([^\s>]+)(?:\s+([A-Za-z0-9_-]+))?\s*>\s*$/;
const isClosing = (line: string, mark: string | undefined): boolean =>
  line.trim() === (mark === undefined ? '</call>' : `</call ${mark}>`);

/** The calls in a text, in order. What is outside of them is what the model says. */
export function textCalls(text: string): Asked[] {
  const lines = text.split(/\r?\n/);
  const calls: Asked[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, name, mark] = opening.exec(lines[at] ?? '') ?? [];
    if (name === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && isClosing(line, mark));
    const body = lines.slice(at + 1, end < 0 ? lines.length : end);
    calls.push(end < 0 ? cutOff(name, mark, body) : callOf(name, body));
    at = end < 0 ? lines.length : end;
  }
  return calls;
}

const cutOff = (name: string, mark: string | undefined, body: readonly string[]): Asked =>
  unreadable(name, body.join('\n'), `the call of ${name} has no end: a line </call${mark ? ` ${mark}` : ''}> ends it`);

/** The inputs of a call: `<name>value</name>` on one line, or the lines between `<name>` and `</name>`. */
function callOf(name: string, body: readonly string[]): Asked {
  const takes = Object.keys(toolNamed(name)?.takes ?? {});
  const input: Record<string, string> = {};
  for (let at = 0; at < body.length; at += 1) {
    const line = body[at] ?? '';
    if (line.trim() === '') continue;
    const [, key, rest = ''] = /^\s*<([A-Za-z_]+)>(.*)$/.exec(line) ?? [];
    if (key === undefined)
      return unreadable(
        name,
        body.join('\n'),
        `${JSON.stringify(line.slice(0, 80))} in the call of ${name} is no input of it`,
      );
    const one = rest.trimEnd();
    if (one.endsWith(`</${key}>`)) {
      input[key] = one.slice(0, -`</${key}>`.length);
      continue;
    }
    const end = endOf(key, { body, from: at + 1, takes });
    if (end < 0) return unreadable(name, body.join('\n'), `"${key}" of ${name} has no end: a line </${key}> ends it`);
    input[key] = [...(rest === '' ? [] : [rest]), ...body.slice(at + 1, end)].join('\n');
    at = end;
  }
  return asked({ name, input });
}

interface Rest {
  readonly body: readonly string[];
  readonly from: number;
  readonly takes: readonly string[];
}

/** The line that ends an input: after it comes another input, or nothing. A text may have the same line inside. */
function endOf(key: string, { body, from, takes }: Rest): number {
  return body.findIndex((line, at) => {
    if (at < from || line.trim() !== `</${key}>`) return false;
    const next = body.slice(at + 1).find((later) => later.trim() !== '');
    return next === undefined || takes.some((other) => other !== key && next.trimStart().startsWith(`<${other}>`));
  });
}

/** What the model said is repeated letter by letter, calls included, unless there is no room for it. */
export function textMessages({ round, brief }: Told): Message[] {
  const { said, thinking, calls, told } = round;
  const text = brief ? briefly(said.full, calls) : said.full;
  const thought = thinking !== '' && !brief ? { reasoning: thinking, reasoning_content: thinking } : {};
  const results = calls.map(({ tool, result }, at) => `<result ${at + 1} ${tool}>\n${shown(result, brief)}\n</result>`);
  const content = [...results, ...told.map((one) => shown(one, brief))].join('\n\n');
  return [
    { role: 'assistant', content: text === '' ? '(nothing)' : text, ...thought },
    { role: 'user', content: content === '' ? '(nothing)' : content },
  ];
}

/** The calls again, with a line for each long text. */
function briefly(text: string, calls: readonly CallOfRound[]): string {
  const before = text.split(/\r?\n/).findIndex((line) => opening.test(line));
  const words = before < 0 ? text : text.split(/\r?\n/).slice(0, before).join('\n');
  return [words, ...calls.map(spelled)].filter((part) => part !== '').join('\n');
}

function spelled({ tool, input }: CallOfRound): string {
  const inputs = Object.entries(input).map(([name, { brief }]) => `<${name}>\n${brief}\n</${name}>`);
  return [`<call ${tool}>`, ...inputs, '</call>'].join('\n');
}
