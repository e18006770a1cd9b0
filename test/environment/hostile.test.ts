import test from 'ava';
import type { findingCodes } from '#protocol/finding';
import { findingOf, good, limits, makePrompts, run, withPrompts, withReward } from './support.ts';

const endless = 'for (;;) {}';
const { fill } = { fill: 'Array.from({ length: n }, () => "ab>")' };

/** What a script may try, and the code of what is found. Each leaves the process as it was, which the last test asks. */
const hostile: Record<string, Record<string, string>> = {
  'environment/too-large': { 'a script of 10 MB': ' '.repeat(1e7) },
  'environment/syntax': {
    'half a function': 'function prompts( {',
    'a module': `export ${good}`,
    'an import': `import fs from 'fs';\n${good}`,
    'not JavaScript': 'def prompts(rng, n):\n  return []',
    'a lone surrogate': '\ud800',
  },
  'environment/missing-function': {
    nothing: '',
    'no reward': makePrompts,
    'a reward that is no function': `${makePrompts}; var reward = 1;`,
    'a getter that is endless instead of a function': `${makePrompts}; Object.defineProperty(globalThis, 'reward', { get() { return 1; } });`,
  },
  'environment/time': {
    'an endless script': endless,
    'an endless reward': withReward(endless),
    'endless prompts': withPrompts(endless),
    'an endless getter of an element': withPrompts(
      `const all = ${fill}; Object.defineProperty(all, 1, { get() { ${endless} } }); return all;`,
    ),
    'an endless proxy': withPrompts(`return new Proxy(${fill}, { get() { ${endless} } });`),
    'an endless regular expression': withReward('return /(a+)+$/.test("a".repeat(40) + "b") ? 1 : 0;'),
    'an endless name of an error': withReward(`throw { get name() { ${endless} } };`),
    'an endless prototype of an error': withReward(`throw new Proxy({}, { get() { ${endless} } });`),
    'an endless getter instead of reward': `${makePrompts}; Object.defineProperty(globalThis, 'reward', { get() { ${endless} } });`,
    'a loop that catches': withReward(`for (;;) { try { ${endless} } catch {} finally { continue; } }`),
    'an endless generator': withReward('function* g() { for (;;) yield 1; } for (const x of g()); return 1;'),
    'an endless element in a sort': withReward(`return [2, 1].sort(() => { ${endless} })[0];`),
  },
  'environment/memory': {
    'many strings': 'const a = []; for (;;) a.push("x".repeat(1e6));',
    'many objects': withReward('const a = []; for (;;) a.push(new Array(1e5).fill(0));'),
    'many buffers': withReward('const a = []; for (;;) a.push(new Uint8Array(1e6));'),
    'one huge string': withReward('let s = "ab"; for (;;) s += s;'),
    'an error that says so, and 5 MB of orders to a terminal': withReward(
      'throw new Error("out of memory" + "\\u001b[2J\\n\\u202e".repeat(1e6));',
    ),
    'one huge array': withPrompts('return Array.from({ length: 2 ** 32 - 1 });'),
  },
  'environment/stack': {
    recursion: withReward('return reward(prompt, completion) + 1;'),
    'brackets in a script': `${good}\n${'['.repeat(30_000)}`,
    'brackets in eval': withReward('return eval("(".repeat(1e5));'),
    'arrays within arrays': withReward('let a = []; for (let i = 0; i < 1e4; i++) a = [a]; return String(a).length;'),
  },
  'environment/threw': {
    'an error': withReward('return prompt.nothing.there;'),
    'a string': withReward('throw "no";'),
    null: withReward('throw null;'),
    'a console': `console.log('hello');\n${good}`,
    'a module': withReward('return require("fs").readFileSync("x").length;'),
    'the process': withReward('return process.exit(1);'),
    'the network': withReward('return fetch("http://localhost");'),
    'the time': withReward('return Date.now() % 2;'),
    'a new date': withReward('return new Date().getTime() % 2;'),
    chance: withReward('return Math.random();'),
    timers: withReward('return setTimeout(() => {}, 0);'),
    'an error whose message throws': withReward('throw { get message() { throw 1; } };'),
    'the outside by a constructor': withReward('return reward.constructor.constructor("return process")().pid;'),
    'an array whose length throws': withPrompts(
      'return new Proxy([], { get(all, key) { throw new Error("mine"); } });',
    ),
    'a revoked proxy': withPrompts('const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return proxy;'),
  },
  'environment/left-work': {
    'an endless job of the script': `Promise.resolve().then(() => { ${endless} });\n${good}`,
    'an endless job of a reward': withReward(`Promise.resolve().then(() => { ${endless} }); return 1;`),
    'an async reward that waits': withReward('return (async () => { await 1; return 1; })();'),
  },
  'environment/prompts-malformed': {
    nothing: withPrompts(''),
    'a string': withPrompts('return "ab>";'),
    'an object like an array': withPrompts('return { length: n, 0: "a>", 1: "b>", 2: "c>" };'),
    'a thenable': withPrompts(`return { then() { ${endless} } };`),
    'an async function': `${makePrompts.replace('function prompts', 'async function prompts')}\nfunction reward() { return 0; }`,
    'one too few': withPrompts(`return ${fill}.slice(1);`),
    'a million': withPrompts('return new Array(1e6);'),
    'a length that lies': withPrompts(
      'return new Proxy([], { get: (all, key) => (key === "length" ? 2 ** 53 : "a>") });',
    ),
    numbers: withPrompts('return Array.from({ length: n }, (_, i) => i);'),
    holes: withPrompts('return new Array(n);'),
    'string objects': withPrompts(`return ${fill}.map((text) => new String(text));`),
    'an object with toString': withPrompts(`return ${fill}.map(() => ({ toString() { ${endless} } }));`),
    symbols: withPrompts(`return ${fill}.map(() => Symbol('a'));`),
    'empty prompts': withPrompts(`return ${fill}.map(() => '');`),
    'a prompt of 3 MB': withPrompts(`return ${fill}.map(() => 'a').fill('a'.repeat(3e6), 1, 2);`),
    'lone surrogates': withPrompts(`return ${fill}.map(() => 'a\\ud800>');`),
    accents: withPrompts(`return ${fill}.map(() => 'é>');`),
    'line breaks': withPrompts(`return ${fill}.map(() => 'a>\\nok');`),
    'the end of a C string': withPrompts(`return ${fill}.map(() => 'a\\0>');`),
  },
  'environment/reward-not-a-number': {
    nothing: withReward(''),
    NaN: withReward('return NaN;'),
    'a boolean': withReward('return true;'),
    'a string': withReward('return "1";'),
    'a BigInt': withReward('return 1n;'),
    'a huge BigInt': withReward('return 10n ** 20000n;'),
    'a number object': withReward('return new Number(1);'),
    'an endless valueOf': withReward(`return { valueOf() { ${endless} } };`),
    'an endless toString': withReward(`return { toString() { ${endless} } };`),
    'an endless conversion': withReward(`return { [Symbol.toPrimitive]() { ${endless} } };`),
    'a proxy that is endless': withReward(
      `return new Proxy({}, { get() { ${endless} }, getPrototypeOf() { ${endless} } });`,
    ),
    'a thenable': withReward('return { then(done) { done(1); } };'),
    'an async function': `${makePrompts}\nasync function reward() { return 1; }`,
    'a string of 10 MB': withReward('return "a".repeat(1e7);'),
    'a lone surrogate': withReward('return "\\ud800";'),
    'a symbol': withReward('return Symbol("x");'),
  },
  'environment/reward-out-of-range': {
    two: withReward('return 2;'),
    'less than nothing': withReward('return -1e-9;'),
    Infinity: withReward('return Infinity;'),
    'minus Infinity': withReward('return -Infinity;'),
    '1e308': withReward('return 1e308;'),
  },
};

for (const [code, scripts] of Object.entries(hostile))
  for (const [name, source] of Object.entries(scripts))
    test.serial(`${code}: ${name}`, async (t) => {
      const finding = await findingOf(source);
      t.is(finding?.code, code as keyof typeof findingCodes, finding?.sentence);
      t.is(finding?.file, 'environment.js');
      t.regex(finding?.sentence ?? '', /^[\x20-\x7e]{8,700}$/);
    });

test.serial('after all of them another environment works as ever', async (t) => {
  t.is(await findingOf(good), undefined);
});

test('a finding names the line', async (t) => {
  t.is((await findingOf(`${makePrompts}\n\nfunction reward(p) {\n  return p.nothing.there;\n}`))?.line, 12);
  t.is((await findingOf('let x = 1;\nfunction ( {'))?.line, 2);
});

test('an environment goes on after a call that ran too long, took too much or nested too deeply', async (t) => {
  const cell = await run(
    withReward(`
      if (completion === 'time') ${endless}
      if (completion === 'memory') { const a = []; for (;;) a.push('x'.repeat(1e6)); }
      if (completion === 'stack') return reward(prompt, completion) + 1;
      return 0.5;`),
  );
  for (const completion of ['time', 'memory', 'stack']) {
    t.throws(() => cell.rewards(['ab>'], [completion]), { message: new RegExp(`^environment/${completion}: `) });
    t.deepEqual(cell.rewards(['ab>'], ['']), [0.5]);
  }
});

test('one call has one budget, however many completions it carries', async (t) => {
  const cell = await run(withReward('for (let i = 0; i < 5e4; i++); return 0;'));
  const some = Array.from({ length: 4 }, () => 'a>');
  const many = Array.from({ length: 64 }, () => 'a>');
  t.is(cell.rewards(some, some).length, 4);
  t.throws(() => cell.rewards(many, many), { message: new RegExp(`^environment/time: .* ${limits.fuel} times`) });
});
