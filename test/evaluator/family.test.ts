import test from 'ava';
import fc from 'fast-check';
import { flawsOf } from '../../services/evaluator/conformance.ts';
import { stream } from '../../services/evaluator/draw.ts';
import { digitOf } from '../../services/evaluator/families/secret-digit.ts';
import { beginning, exact } from '../../services/evaluator/families/word-family.ts';
import { families } from '../../services/evaluator/families.ts';
import type { Family, Item } from '../../services/evaluator/family.ts';
import { loadFamily } from '../../services/evaluator/load-family.ts';
import { moduleFile } from '../support/root.ts';
import { family as own } from './support/own-family.ts';

const byName = (name: string): Family => {
  const family = families.find((one) => one.name === name);
  if (!family) throw new Error(`no family is named ${name}`);
  return family;
};

for (const family of families)
  test(`${family.name} keeps what a family promises`, (t) => t.deepEqual(flawsOf(family), []));

// UPLIFT_TEST_FAMILY=./my-family.ts npx ava test/evaluator/family.test.ts asks the same of yours
const path = process.env.UPLIFT_TEST_FAMILY ?? moduleFile('./support/own-family', import.meta.url);
test('a family given by path keeps what a family promises', async (t) => {
  t.truthy((await loadFamily(path)).name);
});

const [first] = own.items('seed', {}, 1) as [Item];
const flawed: Record<string, [Partial<Family>, RegExp]> = {
  'a name with spaces': [{ name: 'My family' }, /the name is "My family"/],
  'chance of its own in items': [
    { items: (_, p, n) => own.items(String(Math.random()), p, n) },
    /one seed gave two lists/,
  ],
  'a seed without effect': [{ items: (_, p, n) => own.items('same', p, n) }, /two seeds share 200 of 200 prompts/],
  'items that depend on how many': [{ items: (s, p, n) => own.items(s + n, p, n) }, /the first 20 items are others/],
  'a prompt twice': [{ items: (_, __, n) => Array.from({ length: n }, () => first) }, /200 items have only 1 prompts/],
  'too few items': [{ items: () => [] }, /200 items were asked for and 0 came/],
  'prompts in capitals': [
    { items: (s, p, n) => own.items(s, p, n).map((i) => ({ ...i, prompt: `A${i.prompt}` })) },
    /a prompt is "A/,
  ],
  'answers with spaces': [
    { items: (s, p, n) => own.items(s, p, n).map((i) => ({ ...i, answer: `${i.answer} ` })) },
    /an answer is "/,
  ],
  'one wording': [{ spec: () => own.spec(stream('x')) }, /60 specs have only 1 texts/],
  'a spec by chance': [{ spec: () => own.spec(Math.random) }, /spec gave two specs/],
  'limits without end': [
    { spec: (rng) => ({ ...own.spec(rng), limits: { steps: 1e9, seconds: 1, baseModels: ['x'] } }) },
    /limits are/,
  ],
  'other parameters': [
    { spec: (rng) => ({ ...own.spec(rng), parameters: { k: 1 } }) },
    /which is not what parameters says/,
  ],
  'a scorer that pays an empty completion': [{ score: () => 1 }, /nothing at all is worth 1/],
  'a scorer that pays nothing': [{ score: () => 0 }, /the answer "\d+" is worth 0/],
  'a scorer that pays a constant': [
    { score: (i, c) => (c === i.answer || c.length > 1 ? 1 : 0) },
    /always "\d+" is worth/,
  ],
  'a scorer out of range': [{ score: (i, c) => (c === i.answer ? 1 : c.length - 1) }, /a score is 0 to 1/],
  'a scorer that throws': [
    {
      score: () => {
        throw new Error('mine');
      },
    },
    /threw mine/,
  ],
};
for (const [name, [change, flaw]] of Object.entries(flawed))
  test(`conformance finds ${name}`, (t) => {
    const flaws = flawsOf({ ...own, ...change });
    t.true(
      flaws.some((one) => flaw.test(one)),
      flaws[0],
    );
  });

test('a path without a family, or with a bad one, is told in a sentence', async (t) => {
  await t.throwsAsync(loadFamily(moduleFile('../../protocol/version', import.meta.url)), {
    message: /exports no "family"/,
  });
});

test('there are training, held-out and impossible families, each name once', (t) => {
  const uses = (use: Family['use']) => families.filter((family) => family.use === use).length;
  t.true(uses('training') >= 8 && uses('held-out') >= 2 && uses('impossible') === 1);
  t.is(new Set(families.map(({ name }) => name)).size, families.length);
});

const letters = 'abcdefghijklmnopqrstuvwxyz';
const back = (word: string): string => word.split('').reverse().join('');
const on = (letter: string, places: number): string => (letters + letters).charAt(letters.indexOf(letter) + places);
const half = (word: string): number => (word.length - (word.length % 2)) / 2;
/** Written once more, and apart from the families, so that a slip in one of the two shows. */
const operations: Record<string, (word: string, places: number) => string> = {
  reverse: back,
  uppercase: (word) => String.fromCharCode(...word.split('').map((letter) => letter.charCodeAt(0) - 32)),
  'sort-letters': (word) => letters.replace(/./g, (letter) => letter.repeat(word.split(letter).length - 1)),
  'double-letters': (word) => word.replace(/./g, '$&$&'),
  'drop-vowels': (word) => word.replace(/[^bcdfghjklmnpqrstvwxyz]/g, ''),
  'swap-halves': (word) => word.substring(half(word)) + word.substring(0, half(word)),
  shift: (word, places) => word.replace(/./g, (letter) => on(letter, places)),
  'first-and-last': (word) => word.replace(/^(.).*(.)$/, '$1$2'),
  'count-letters': (word) => `${word.length}`,
  'next-letter': (word) => on(word.charAt(word.length - 1), 1),
  'rotate-left': (word) => word.replace(/^(.)(.*)$/, '$2$1'),
  behead: (word) => word.replace(/^./, ''),
  'next-of-first': (word) => on(word.charAt(0), 1),
};
test('the answers of items are what the specs ask for', (t) => {
  const possible = families.filter(({ use }) => use !== 'impossible');
  t.deepEqual(possible.map(({ name }) => name).sort(), Object.keys(operations).sort());
  for (const family of possible)
    for (const n of [1, 2, 3, 4]) {
      const { parameters } = family.spec(stream('answers', String(n)));
      const places = Number(parameters.places ?? 0);
      for (const { prompt, answer } of family.items('seed', parameters, 50))
        t.is(answer, operations[family.name]?.(prompt.slice(0, -1), places) ?? '', `${family.name} of ${prompt}`);
    }
});

test('the examples in a text are right, and its bounds are those of the spec', (t) => {
  let seen = 0;
  for (const family of families)
    for (let n = 0; n < 30; n += 1) {
      const { text, parameters, limits } = family.spec(stream('texts', String(n)));
      for (const [, prompt = '', answer = ''] of text.matchAll(
        /(?:^|[\s"])([a-z]+)>"? (?:->|becomes|comes) "?([A-Za-z0-9]+)/g,
      )) {
        seen += 1;
        t.is(answer, operations[family.name]?.(prompt, Number(parameters.places ?? 0)) ?? 'none', text);
      }
      for (const bound of [limits.steps, limits.seconds, ...limits.baseModels])
        t.true(text.includes(String(bound)), text);
    }
  t.true(seen > 200, String(seen));
});

test('parameters that no spec gives are refused', (t) => {
  t.throws(() => byName('shift').items('seed', { shortest: 3, longest: 6, letters: 'abcdefghijklm', places: 9 }, 1));
  t.throws(() => byName('reverse').items('seed', {}, 1));
});

test('no digit of the impossible family is told by its prompt', (t) => {
  const words = Array.from({ length: 2000 }, (_, n) => `w${n}`);
  const agree = words.filter((word) => digitOf('one seed', word) === digitOf('another', word)).length;
  t.true(agree > 140 && agree < 260, String(agree));
  for (let digit = 0; digit < 10; digit += 1) {
    const share = words.filter((word) => digitOf('one seed', word) === String(digit)).length;
    t.true(share > 140 && share < 260, `${digit}: ${share}`);
  }
  t.is(digitOf('one seed', 'abc'), digitOf('one seed', 'abc'));
});

test('the graded scorer rises with what is right from the start, and pays nothing up to half', (t) => {
  const item = { prompt: 'x>', answer: 'abcdefgh' };
  t.deepEqual(
    ['', 'abcd', 'abcdef', 'abcdefg', 'abcdefgh', 'abcdefghi', 'xbcdefgh'].map((c) => beginning(item, c)),
    [0, 0, 0.5, 0.75, 1, 2 * (8 / 9) - 1, 0],
  );
  fc.assert(
    fc.property(fc.string(), (completion) => {
      const worth = beginning(item, completion);
      return worth >= 0 && worth <= 1 && (worth === 1) === (exact(item, completion) === 1);
    }),
  );
});
