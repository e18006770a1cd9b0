// What agents, pods and foreign servers wrote is quoted on a terminal, and is only text there.
import { stripVTControlCharacters } from 'node:util';
import test from 'ava';
import fc from 'fast-check';
import { harmless } from '../../services/cli/say.ts';

const colours = new RegExp(`${String.fromCharCode(27)}\\[(?:0|1|2|31|32)m`, 'g');
const hostile = fc.constantFrom(
  '\u001b[2J',
  '\u001b]0;title\u0007',
  '\u001b]52;c;cm0gLXJm\u001b\\',
  '\u009b31m',
  '\r',
  '\b',
  '\u0000',
  '\u202e',
  '\u2066',
  '\u001b[31',
  'm',
);

test('whatever is quoted, a terminal is told nothing but lines, tabs and our colours', (t) => {
  const text = fc.array(fc.oneof(hostile, fc.string({ unit: 'binary' }))).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (quoted) => {
      const shown = harmless(`\u001b[31m${quoted}\u001b[0m`);
      const plain = shown.replaceAll(colours, '');
      return !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(plain.replaceAll(/[\t\n]/g, ''));
    }),
    { numRuns: 500 },
  );
  t.is(harmless('\u001b[1mrun\u001b[0m: \u001b[2Jgone\r'), '\u001b[1mrun\u001b[0m: \\u001b[2Jgone\\r');
  t.is(stripVTControlCharacters(harmless('done → 0.65 · –')), 'done → 0.65 · –');
});

test('JSON stays the same JSON', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (said) => JSON.parse(harmless(JSON.stringify({ said }))).said === said),
  );
  t.pass();
});
