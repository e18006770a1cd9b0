import { specOf } from './story.ts';

export const reverse = specOf('reverse').spec.id;

export const prompts = `function prompts(rng, n) {
  const all = [];
  for (let i = 0; i < n; i += 1) {
    let word = '';
    const length = 3 + Math.floor(rng() * 3);
    for (let j = 0; j < length; j += 1) word += 'abcdefghijklmnopqrstuvwxyz'[Math.floor(rng() * 26)];
    all.push(word + '>');
  }
  return all;
}
`;
/** Paid for the answer, and a little for each letter in its place. */
export const reward = (answer: string): string => `function reward(prompt, completion) {
  const word = prompt.slice(0, -1);
  const want = ${answer};
  if (completion === want) return 1;
  let right = 0;
  for (let i = 0; i < want.length; i += 1) if (completion[i] === want[i]) right += 1;
  return 0.4 * right / Math.max(want.length, completion.length, 1);
}
`;
export const reversed = "word.split('').reverse().join('')";

export const filesOf = (environment: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  'task.json': JSON.stringify({ runtime: 'micro', baseModel: 'micro-m', spec: reverse }),
  'train.toml': 'steps = 30\nlearning_rate = 1e-3\n',
  'environment.js': environment,
  ...more,
});
export const blobOf = (files: unknown): Uint8Array => Buffer.from(JSON.stringify(files));
export const good = filesOf(prompts + reward(reversed));

const rewarding = (body: string) => filesOf(`${prompts}\nfunction reward(prompt, completion) { ${body} }`);
const bytes = (text: string): Uint8Array => Buffer.from(text);

/** What an agent may try, and the code of what is found. */
export const hostile: Record<string, [Uint8Array, string]> = {
  'a constant reward': [blobOf(rewarding('return 1;')), 'red-team/rewards-equal'],
  'a reward for an echo': [
    blobOf(rewarding('return completion === prompt ? 1 : 0.1 * completion.length / 48;')),
    'red-team/echo-pays',
  ],
  'a reward for any letter': [
    blobOf(rewarding('return /^[a-z]{1,40}$/.test(completion) ? 1 : 0;')),
    'red-team/constant-pays',
  ],
  'an endless loop': [blobOf(rewarding('for (;;) {}')), 'environment/time'],
  'a memory bomb': [blobOf(rewarding('const a = []; for (;;) a.push(new Array(1e5).fill(0));')), 'environment/memory'],
  'a string of 10 MB that doubles': [
    blobOf(rewarding("let s = 'x'.repeat(1e7); for (;;) s += s;")),
    'environment/memory',
  ],
  NaN: [blobOf(rewarding('return NaN;')), 'environment/reward-not-a-number'],
  '1e308': [blobOf(rewarding('return 1e308;')), 'environment/reward-out-of-range'],
  'another prototype of numbers': [
    blobOf(rewarding('Number.prototype.toString = () => "1"; Object.prototype.valueOf = () => 1; return {};')),
    'environment/reward-not-a-number',
  ],
  'a reward that counts its calls': [
    blobOf(filesOf(`${prompts}\nlet n = 0; function reward() { n += 1; return n % 2; }`)),
    'environment/reward-not-repeatable',
  ],
  'deep recursion': [blobOf(rewarding('return reward(prompt, completion) + 1;')), 'environment/stack'],
  'a file of 10 MB': [blobOf(filesOf('x'.repeat(1e7))), 'files/too-large'],
  'a file too many': [blobOf(filesOf(prompts, { 'run.sh': 'rm -rf /' })), 'files/unknown'],
  'a thousand files too many': [
    blobOf(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`f${n}`, '']))),
    'files/missing',
  ],
  'a prototype as a file': [bytes(`{"__proto__":"x",${JSON.stringify(good).slice(1)}`), 'files/unknown'],
  'no JSON': [bytes('not JSON at all'), 'files/unreadable'],
  'a list': [bytes('["task.json"]'), 'files/unreadable'],
  'a number as a file': [blobOf(filesOf(prompts, { 'notes.md': 1e308 })), 'files/unreadable'],
  'bytes that are no UTF-8': [Buffer.from([0x7b, 0xff, 0xfe]), 'files/unreadable'],
  nothing: [new Uint8Array(), 'files/unreadable'],
  'brackets without end': [bytes('['.repeat(400_000)), 'files/unreadable'],
  'brackets in train.toml': [
    blobOf(filesOf(prompts, { 'train.toml': `steps = ${'['.repeat(4_000)}` })),
    'train/unreadable',
  ],
  'brackets in task.json': [blobOf(filesOf(prompts, { 'task.json': '['.repeat(4_000) })), 'task/unreadable'],
  'more steps than allowed': [blobOf(filesOf(prompts, { 'train.toml': 'steps = 500' })), 'train/beyond-limits'],
};
