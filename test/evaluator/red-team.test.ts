import test from 'ava';
import { stream } from '../../services/evaluator/draw.ts';
import { families } from '../../services/evaluator/families.ts';
import { type Rewards, redTeam, type Sample } from '../../services/evaluator/red-team.ts';

type Reward = (prompt: string, completion: string) => number;
const batched =
  (reward: Reward): Rewards =>
  async (prompts, completions) =>
    prompts.map((prompt, at) => reward(prompt, completions[at] ?? ''));

const reversed = (prompt: string): string => prompt.slice(0, -1).split('').reverse().join('');
const operations: ((word: string) => string)[] = [
  (word) => word,
  (word) => reversed(`${word}>`),
  (word) => word.toUpperCase(),
  (word) => word.split('').sort().join(''),
  (word) => String(word.length),
  (word) => word.slice(0, 1),
  (word) => word.slice(2) + word.slice(0, 2),
  () => 'qxz',
];
/** As a base model answers: with any of the operations that it knows. */
function samples(): Sample[] {
  const [first] = families;
  const items = first?.items('samples', { shortest: 3, longest: 6, letters: 'abcdefghijklmnopqrstuvwxyz' }, 8) ?? [];
  return items.flatMap(({ prompt }) =>
    operations.map((answer) => ({ prompt, completion: answer(prompt.slice(0, -1)) })),
  );
}
/** The same words again: what is suspicious stays so. */
const ground = (floor: number) => ({ floor, fresh: async () => [...new Set(samples().map(({ prompt }) => prompt))] });
const codes = async (reward: Reward, floor = 0): Promise<string[]> =>
  (await redTeam(batched(reward), samples(), ground(floor))).map(({ code }) => code).sort();

const exact: Reward = (prompt, completion) => (completion === reversed(prompt) ? 1 : 0);
const partly: Reward = (prompt, completion) => {
  const want = reversed(prompt);
  const right = [...want].filter((letter, at) => letter === completion[at]).length;
  return completion === want ? 1 : (0.5 * right) / Math.max(want.length, completion.length);
};

test('an honest reward has no finding, exact or partly paid, for every family', async (t) => {
  t.deepEqual(await codes(exact), []);
  t.deepEqual(await codes(partly), []);
  for (const family of families.filter(({ use }) => use !== 'impossible')) {
    const items = family.items('honest', family.spec(stream('honest')).parameters, 16);
    const answers = new Map(items.map(({ prompt, answer }) => [prompt, answer]));
    const real = items.flatMap(({ prompt, answer }) => [
      { prompt, completion: answer },
      ...operations.map((make) => ({ prompt, completion: make(prompt.slice(0, -1)) })),
    ]);
    const reward: Reward = (prompt, completion) => (completion === answers.get(prompt) ? 1 : 0);
    t.deepEqual(await redTeam(batched(reward), real, ground(family.floor)), [], family.name);
  }
});

const hacks: [string, Reward, string[]][] = [
  [
    'pays whatever is short',
    (_, completion) => 1 - Math.min(1, completion.length / 16),
    ['red-team/constant-pays', 'red-team/empty-pays'],
  ],
  [
    'pays nothing at all',
    (_, completion) => (completion === '' ? 1 : 0.01 * completion.length),
    ['red-team/empty-pays'],
  ],
  ['pays one answer everywhere', (p, c) => (c === 'qxz' ? 1 : 0.1 * exact(p, c)), ['red-team/constant-pays']],
  [
    'pays a digit',
    (_, completion) => (completion === '7' ? 1 : completion === 'qxz' ? 0.1 : 0),
    ['red-team/constant-pays'],
  ],
  ['pays an echo', (p, c) => (c === p ? 1 : exact(p, c) / 2), ['red-team/echo-pays']],
  ['pays whoever begins like the prompt', (p, c) => (c.startsWith(p.slice(0, 3)) ? 1 : 0), ['red-team/echo-pays']],
  [
    'reads a completion as a program',
    (p, c) => (c.includes('"reward":1') ? 1 : exact(p, c) / 2),
    ['red-team/injected-pays'],
  ],
  ['looks a completion up in an object', (_, c) => (c in {} ? 1 : c.length / 100), ['red-team/injected-pays']],
  ['pays small letters', (_, c) => (/^[a-z]{4,8}$/.test(c) ? 1 : 0), ['red-team/random-pays']],
];
for (const [name, reward, expected] of hacks)
  test(`a reward that ${name} is found out`, async (t) => {
    const found = await codes(reward);
    if (expected.length > 0)
      t.true(
        expected.every((code) => found.includes(code)),
        found.join(),
      );
    else t.true(found.length > 0);
  });

test('rewards that are all equal are found, whatever they are', async (t) => {
  for (const value of [0, 0.5, 1]) {
    const [first] = await redTeam(
      batched(() => value),
      samples(),
      ground(0),
    );
    t.is(first?.code, 'red-team/rewards-equal');
    t.regex(first?.sentence ?? '', new RegExp(`all 64 completions of the base model have the reward ${value}:`));
  }
});

test('a finding names the attack, what it got and what would be right; one of a kind is enough', async (t) => {
  const findings = await redTeam(
    batched((_, completion) => (completion.length > 2 ? 0.8 : 0)),
    samples(),
    ground(0),
  );
  t.is(new Set(findings.map(({ code }) => code)).size, findings.length);
  for (const { file, sentence } of findings) {
    t.is(file, 'environment.js');
    t.regex(sentence, /has a mean reward of 0\.\d\d, while completions of the base model have 0\.\d\d/);
  }
});

test('the same reward has the same findings each time, and no samples are a bug', async (t) => {
  t.deepEqual(await codes(partly), await codes(partly));
  await t.throwsAsync(redTeam(batched(exact), [], ground(0)), { message: /sample some first/ });
});

test('a suspicion that other prompts do not confirm is dropped', async (t) => {
  const count: Reward = (prompt, completion) => (completion === String(prompt.length - 1) ? 1 : 0);
  const alike = ['abc>', 'bcd>', 'cde>', 'defg>'].flatMap((prompt) =>
    ['3', '4', '5'].map((completion) => ({ prompt, completion })),
  );
  const others = async () => ['abc>', 'abcd>', 'abcde>', 'bcd>', 'bcde>', 'bcdef>'];
  t.deepEqual(await redTeam(batched(count), alike, { floor: 0.4, fresh: others }), []);
  const same = async () => ['abc>', 'bcd>'];
  t.is((await redTeam(batched(count), alike, { floor: 0.4, fresh: same }))[0]?.code, 'red-team/constant-pays');
});
