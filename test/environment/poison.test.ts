import test from 'ava';
import fc from 'fast-check';
import { EnvironmentFault } from '../../runtime/environment/fault.ts';
import { findingOf, good, makePrompts, makeReward, run } from './support.ts';

/** Tricks with what every script shares. None may change how the results of an honest script are read. */
const poisons = [
  'Array.isArray = () => true;',
  'Array.prototype[Symbol.iterator] = () => { throw 1; };',
  'Array.prototype.push = Array.prototype.map = Array.prototype.join = () => { throw 1; };',
  'Object.defineProperty(Array.prototype, 0, { get() { for (;;) {} }, set() { for (;;) {} } });',
  'Object.defineProperty(Object.prototype, "prompts", { get() { return 1; }, set() { throw 1; } });',
  'Object.defineProperty(Object.prototype, "length", { get() { return 9; } });',
  'Object.prototype.toJSON = () => "x";',
  'Object.prototype.then = () => { for (;;) {} };',
  'JSON.parse = JSON.stringify = () => ({});',
  'Reflect.apply = () => 1; globalThis.Reflect = undefined;',
  'String.prototype.charCodeAt = () => 97; String.prototype.slice = () => "";',
  'String.prototype.toString = Number.prototype.toString = () => { for (;;) {} };',
  'Function.prototype.call = Function.prototype.apply = null;',
  'Error.prepareStackTrace = () => { for (;;) {} };',
  'Object.setPrototypeOf(Array.prototype, new Proxy({}, { get() { throw 1; } }));',
  'globalThis.Error = globalThis.InternalError = undefined;',
  'Object.freeze(globalThis);',
  'Symbol.hasInstance; Number.isFinite = () => true; globalThis.isNaN = () => false;',
];
const honest = await run(good);
const prompts = honest.prompts(5, 4);

/** Its own functions use nothing that a poison touches. */
const plain = `
function prompts(rng, n) {
  const all = new Array(n);
  for (let i = 0; i < n; i += 1) {
    let word = '';
    for (let j = 0; j < 4; j += 1) word += 'abcdefgh'[(rng() * 8) | 0];
    Object.defineProperty(all, i, { value: word + '>' });
  }
  return all;
}
function reward(prompt, completion) {
  let back = '';
  for (let i = 3; i >= 0; i -= 1) back += prompt[i];
  return completion === back ? 1 : 0.25;
}`;

for (const poison of poisons)
  test.serial(`results are read as they are after ${poison}`, async (t) => {
    const cell = await run(
      `const { defineProperty } = Object;\n${poison}\n${plain.replace('Object.defineProperty', 'defineProperty')}`,
    );
    t.deepEqual(cell.prompts(5, 4), prompts);
    t.deepEqual(cell.rewards(['abcd>', 'abcd>'], ['dcba', 'x']), [1, 0.25]);
  });

const part = fc.constantFrom(
  ...poisons,
  makePrompts,
  makeReward,
  'for (;;) {}',
  'throw {};',
  'const a = [];',
  'var reward = () => NaN;',
  'var reward = (p, c) => ({ valueOf() { for (;;) {} } });',
  'var reward = (p, c) => c.length / 20;',
  'var prompts = (rng, n) => new Proxy([], { get: (a, k) => k });',
  'var prompts = (rng, n) => Array(n).fill("ab>");',
  'Promise.reject(1);',
  '{',
  '}',
  '(',
  '`',
  '/*',
  '"use strict";',
);

test('any script is an environment or a finding: nothing else, and every reward is within 0 and 1', async (t) => {
  const script = fc.oneof(
    fc.array(part, { maxLength: 6 }).map((parts) => parts.join('\n')),
    fc.string({ unit: 'binary' }),
  );
  await fc.assert(
    fc.asyncProperty(script, async (source) => {
      const finding = await findingOf(source);
      if (finding) return /^[\x20-\x7e]+$/.test(finding.sentence) && finding.code.startsWith('environment/');
      const cell = await run(source);
      return cell.rewards(['a>'], ['b']).every((reward) => reward >= 0 && reward <= 1);
    }),
    { numRuns: 30 },
  );
  t.pass();
});

test('any text reaches a reward as it was', async (t) => {
  const cell = await run(`${makePrompts}
    const codes = (text) => { let sum = text.length; for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 65521; return sum; };
    function reward(prompt, completion) { return (codes(prompt) + codes(completion)) / 131072; }`);
  const codes = (text: string): number => {
    let sum = text.length;
    for (let i = 0; i < text.length; i += 1) sum = (sum * 31 + text.charCodeAt(i)) % 65521;
    return sum;
  };
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (prompt, completion) => {
      const odd = `${completion}\ud800\0`;
      return cell.rewards([prompt], [odd])[0] === (codes(prompt) + codes(odd)) / 131072;
    }),
  );
  t.pass();
});

test('any number that a reward returns comes out as it is, or is a finding', async (t) => {
  const cell = await run(`${makePrompts}\nfunction reward(prompt, completion) { return Number(completion); }`);
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.double({ min: 0, max: 1 })), (value) => {
      try {
        return cell.rewards([''], [String(value)])[0] === value + 0;
      } catch (error) {
        return error instanceof EnvironmentFault && !(value >= 0 && value <= 1);
      }
    }),
    { numRuns: 300 },
  );
  t.is(Object.is(cell.rewards([''], ['-0'])[0], 0), true);
});
