// What a model says, read: calls through the API and in its text, and everything that can be wrong with them.
import test from 'ava';
import fc from 'fast-check';
import { nativeCalls } from '../../../services/agent/openai/calls.ts';
import { textCalls } from '../../../services/agent/openai/text.ts';
import { tools } from '../../../services/agent/openai/tools.ts';
import { fileTools } from '../../../services/agent/tools.ts';
import { afresh, after, at, call, decide, endpointAt, finishing, play, saying } from './play.ts';

test.beforeEach(() => afresh());

const problemOf = (name: string, text: string): string | undefined =>
  nativeCalls({ calls: [{ name, text }], finish: 'stop' })[0]?.problem;

const malformed: readonly [string, string, RegExp][] = [
  ['write_file', '{"file": "a.js", "text": "x', /arguments of write_file are no JSON: .*write one JSON object/],
  ['fly', '{}', /there is no tool "fly": there are list_files, read_file/],
  ['read_file', '{"file": 7}', /"file" of read_file is a number: it must be a text/],
  ['read_file', '{"file": null}', /"file" of read_file is null: it must be a text/],
  ['read_file', '{"file": ["a", "b"]}', /"file" of read_file is a list/],
  ['read_file', '{}', /"file" is missing: read_file takes file/],
  ['list_files', '{"folder": "."}', /"folder" is no input of list_files: it takes nothing/],
  ['read_file', '["a.js"]', /arguments of read_file are a list: they must be one JSON object/],
  ['read_file', '"a.js"', /arguments of read_file are a string/],
  ['', '{}', /there is no tool ""/],
];
for (const [name, text, says] of malformed)
  test(`${name || 'no name'} ${text} is answered with what is wrong`, (t) =>
    t.regex(problemOf(name, text) ?? '', says));

test('a call without inputs may have no arguments, and names of objects are no tools', (t) => {
  for (const text of ['', '{}', 'null', ' ']) t.is(problemOf('list_files', text), undefined);
  for (const name of ['constructor', '__proto__', 'toString']) t.regex(problemOf(name, '{}') ?? '', /there is no tool/);
});

test('arguments that the token limit cut off are told as such', (t) => {
  const calls = [call('list_files'), { name: 'write_file', arguments: '{"file": "a.js", "te' }].map((one) => ({
    name: one.name,
    text: one.arguments,
  }));
  const [whole, cut] = nativeCalls({ calls, finish: 'length' });
  t.is(whole?.problem, undefined);
  t.regex(cut?.problem ?? '', /cut off, because the answer had reached the most tokens/);
  t.deepEqual(cut?.input, { arguments: '{"file": "a.js", "te' });
});

test('the tools that a model is told of are those that there are, with the same inputs', (t) => {
  const inputs = (name: keyof typeof fileTools): string =>
    fileTools[name]({}, { none: '' }).result.replace(/^.*takes /, '');
  for (const name of ['list_files', 'read_file', 'write_file', 'edit_file'] as const)
    t.is(inputs(name), Object.keys(tools[name].takes).join(', ') || 'nothing');
});

const example = `I write the files.

<call write_file>
<file>environment.js</file>
<text>
const html = '<b>"quoted" & \\\\escaped</b>';
// </text> in a line, and a line that is
</text>
// all in the text
</text>
</call>
<call edit_file>
<file>train.toml</file>
<old>
steps = 1
</old>
<new>
steps = 2
</new>
</call>
And then:
<call submit>
</call>`;

test('calls in a text are read without anything having been escaped', (t) => {
  t.deepEqual(textCalls(example), [
    {
      tool: 'write_file',
      input: {
        file: 'environment.js',
        text:
          `const html = '<b>"quoted" & \\\\escaped</b>';\n// </text> in a line, and a line that is\n</text>\n` +
          '// all in the text',
      },
    },
    { tool: 'edit_file', input: { file: 'train.toml', old: 'steps = 1', new: 'steps = 2' } },
    { tool: 'submit', input: {} },
  ]);
});

test('any text at all survives a call with a mark of its own', async (t) => {
  const lines = fc.array(
    fc.oneof(fc.string(), fc.constantFrom('</call>', '<call submit>', '</text>', '<file>', '```', '</call x>')),
  );
  await fc.assert(
    fc.property(lines, (some) => {
      const text = some
        .join('\n')
        .replaceAll('\r', '')
        .replaceAll(/<\/text>\n+(?=<file>)/g, '');
      const said = `<call write_file mark-1>\n<file>a.js</file>\n<text>\n${text}\n</text>\n</call mark-1>`;
      const [one, ...others] = textCalls(said);
      return others.length === 0 && one?.problem === undefined && one?.input.text === text.toWellFormed();
    }),
  );
  t.pass();
});

const broken: readonly [string, RegExp][] = [
  ['<call write_file>\n<file>a</file>\n<text>\nabc', /the call of write_file has no end: a line <\/call> ends it/],
  [
    '<call write_file>\n<file>a</file>\n<text>\nabc\n</call>',
    /"text" of write_file has no end: a line <\/text> ends it/,
  ],
  ['<call read_file>\na.js\n</call>', /"a.js" in the call of read_file is no input of it/],
  ['<call read_file>\n</call>', /"file" is missing/],
  ['<call fly>\n</call>', /there is no tool "fly"/],
];
for (const [text, says] of broken)
  test(`${JSON.stringify(text)} is answered with what is wrong`, (t) =>
    t.regex(textCalls(text)[0]?.problem ?? '', says));

const whole: readonly [string, Parameters<typeof saying>[1][number], RegExp][] = [
  [
    'an answer that the token limit cut',
    { text: 'I think that', finish: 'length' },
    /cut off: it may have at most 512 tokens/,
  ],
  ['an empty answer', {}, /Your answer was empty/],
  ['a refusal', { refusal: 'I will not.' }, /You refused, or your answer was withheld/],
  ['an answer that was withheld', { finish: 'content_filter' }, /withheld/],
  ['an answer without a call', { text: 'I would write a file now.' }, /had no call of a tool/],
];
for (const calls of ['native', 'text'] as const)
  for (const [name, answer, says] of whole)
    test.serial(`${name} is told to the model in the next turn (${calls})`, async (t) => {
      const server = await saying(t, [answer, finishing]);
      await play(at(server, { endpoint: endpointAt(server, { calls }) }), 2);
      const last = server.requests[1]?.messages.at(-1);
      t.is(last?.role, 'user');
      t.regex(last?.content ?? '', says);
    });

test.serial('calls after one that ends an answer are not made, and the model is told which', async (t) => {
  const calls = [call('list_files'), call('validate'), call('write_file', { file: 'a', text: 'b' }), call('submit')];
  const server = await saying(t, [{ calls }, finishing]);
  const decision = await decide(server);
  t.deepEqual(
    decision.calls.map(({ tool }) => tool),
    ['list_files', '', 'validate'],
  );
  t.regex(
    decision.calls[1]?.problem ?? '',
    /"validate" ends an answer, so 2 calls after it \(write_file, submit\) were not made/,
  );
  await decide(server, { ...after(at(server), decision), findings: [] });
  const told = server.requests[1]?.messages.slice(-3).map(({ content }) => content);
  t.deepEqual(told?.slice(0, 2), ['there are no files yet', 'valid: nothing was found']);
  t.regex(told?.[2] ?? '', /were not made/);
});
