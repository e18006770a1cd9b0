import test from 'ava';
import fc from 'fast-check';
import { type Workspace, workspace } from '#protocol/workspace';
import { fileTools } from '../../services/agent/tools.ts';

const names = Object.keys(fileTools) as (keyof typeof fileTools)[];
const text = fc.oneof(
  fc.constantFrom('', 'task.json', 'train.toml', 'notes.md', '__proto__', 'constructor', '../x', 'a', 'steps = 1'),
  fc.string({ unit: 'binary' }),
);
const input = fc.dictionary(fc.constantFrom('file', 'text', 'old', 'new', 'files', '__proto__'), text);
const calls = fc.array(fc.record({ tool: fc.constantFrom(...names), input }), { maxLength: 40 });

test('any calls whatever are answered with a text, and leave files that a workspace may have', (t) => {
  fc.assert(
    fc.property(calls, (some) => {
      let files: Workspace = {};
      for (const { tool, input: given } of some) {
        const used = fileTools[tool](files, given);
        if (typeof used.result !== 'string') return false;
        files = used.files;
      }
      return workspace.safeParse(files).success && Object.keys(files).length <= 16;
    }),
    { numRuns: 500 },
  );
  t.pass();
});

test('what was written is read again, byte for byte, until it is edited', (t) => {
  const written = fileTools.write_file({}, { file: 'train.toml', text: 'steps = 200\nkl = 0\n' }).files;
  t.is(fileTools.read_file(written, { file: 'train.toml' }).result, 'steps = 200\nkl = 0\n');
  const edited = fileTools.edit_file(written, { file: 'train.toml', old: 'steps = 200', new: 'steps = $& 40' }).files;
  t.is(fileTools.read_file(edited, { file: 'train.toml' }).result, 'steps = $& 40\nkl = 0\n');
  t.is(written['train.toml'], 'steps = 200\nkl = 0\n');
});

const files = { 'notes.md': 'one two one' };
const wrong: [keyof typeof fileTools, Record<string, string>, RegExp][] = [
  ['list_files', {}, /notes\.md \(11 characters\)/],
  ['list_files', { all: 'yes' }, /"all" is not an input of this tool: it takes nothing/],
  ['read_file', {}, /"file" is missing: this tool takes file/],
  ['read_file', { file: 'note.md' }, /no file "note\.md"; the files are notes\.md/],
  ['read_file', { file: '__proto__' }, /no file "__proto__"/],
  ['write_file', { file: 'x' }, /"text" is missing: this tool takes file, text/],
  ['write_file', { file: '../x', text: '' }, /"\.\.\/x" is not a file name/],
  ['write_file', { file: 'x', text: 'x'.repeat(2 ** 17 + 1) }, /131073 characters: 131072 are the most/],
  ['edit_file', { file: 'x', old: 'a', new: 'b' }, /no file "x"/],
  ['edit_file', { file: 'notes.md', old: 'one', new: '1' }, /"one" occurs 2 times in notes\.md, but must occur once/],
  ['edit_file', { file: 'notes.md', old: 'six', new: '6' }, /"six" occurs 0 times in notes\.md/],
  ['edit_file', { file: 'notes.md', old: '', new: '6' }, /occurs 0 times/],
];

for (const [tool, given, sentence] of wrong)
  test(`${tool} of ${JSON.stringify(given).slice(0, 60)} is answered with a sentence, and changes nothing`, (t) => {
    const used = fileTools[tool](files, given);
    t.regex(used.result, sentence);
    t.deepEqual(used.files, files);
  });

test('a seventeenth file is refused', (t) => {
  const many = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`f${at}`, '']));
  t.regex(fileTools.write_file(many, { file: 'one-more', text: '' }).result, /16 files already/);
  t.regex(fileTools.write_file(many, { file: 'f3', text: 'new' }).result, /f3 has 3 characters now/);
});
