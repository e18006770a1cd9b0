import test, { type ExecutionContext } from 'ava';
import { dryRun } from '../../runtime/environment/dry-run.ts';
import { type Environment, loadEnvironment } from '../../runtime/environment/environment.ts';
import { prepareThread } from '../../runtime/environment/threads.ts';
import { good, limits, makePrompts, withPrompts, withReward } from './support.ts';

async function load(t: ExecutionContext, source: string, milliseconds = 30_000): Promise<Environment> {
  const environment = await loadEnvironment(source, { ...limits, milliseconds });
  t.teardown(() => environment.dispose());
  return environment;
}

test.serial('prompts are the same for the same seed and others for another', async (t) => {
  const environment = await load(t, good);
  const [one, again, other] = await Promise.all([7, 7, 8].map((seed) => environment.prompts(seed, 16)));
  t.is(one?.length, 16);
  t.deepEqual(one, again);
  t.notDeepEqual(one, other);
  t.is(await environment.reward('abcd>', 'dcba'), 1);
  t.deepEqual(await environment.rewards(['ab>', 'ab>', 'ab>'], ['ba', 'xx', 'x']), [1, 0.25, 0]);
  t.deepEqual(await environment.rewards([], []), []);
});

test.serial('a built-in that never returns ends the environment, and nothing else', async (t) => {
  const endless = 'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);';
  const environment = await load(t, withReward(endless), 1_000);
  await t.throwsAsync(environment.reward('ab>', 'a'), { message: /^environment\/time: one built-in ran for more/ });
  await t.throwsAsync(environment.prompts(1, 1), { message: /^environment\/time: / });
  await t.throwsAsync(load(t, 'new Array(2 ** 32 - 1).reverse();', 1_000), { message: /^environment\/time: / });
  t.deepEqual(await (await load(t, good)).rewards(['ab>'], ['ba']), [1]);
});

test.serial(
  'a script that cannot be loaded is told as a finding, also when it is nested too deeply for a thread',
  async (t) => {
    await t.throwsAsync(load(t, `${good}\n${'('.repeat(60_000)}`), { message: /^environment\/stack: / });
    await t.throwsAsync(load(t, ' '.repeat(1e7)), {
      message: /^environment\/too-large: .* 10000000 bytes: it may have 65536/,
    });
  },
);

test.serial('a thread is used again, and nothing of an environment is left in it', async (t) => {
  await prepareThread();
  for (let n = 0; n < 4; n += 1) {
    const environment = await loadEnvironment(
      `globalThis.left = (globalThis.left ?? 0) + 1; Array.prototype.left = 1;\n${withReward('return globalThis.left / 4 + [].left / 4;')}`,
      limits,
    );
    t.is(await environment.reward('a>', ''), 0.5);
    await environment.dispose();
  }
});

test.serial('after dispose nothing is answered', async (t) => {
  const environment = await load(t, good);
  const waiting = environment.prompts(1, 1).catch(() => ['no answer']);
  await environment.dispose();
  t.is((await waiting).length, 1);
  await t.throwsAsync(environment.prompts(1, 1), { message: 'the environment was disposed of' });
});

async function codes(source: string): Promise<string[]> {
  const copies = [await loadEnvironment(source, limits), await loadEnvironment(source, limits)] as const;
  const findings = await dryRun(copies, 8);
  await Promise.all(copies.map((copy) => copy.dispose()));
  return findings.map(({ code }) => code);
}

test.serial('a dry run finds nothing wrong with an honest environment', async (t) => {
  t.deepEqual(await codes(good), []);
});

test.serial('a dry run finds what does not repeat', async (t) => {
  const counting = `let calls = 0;\n${makePrompts}\nfunction reward() { calls += 1; return (calls % 7) / 7; }`;
  t.deepEqual(await codes(counting), ['environment/reward-not-repeatable']);
  const remembering = `const seen = {};\n${makePrompts}\nfunction reward(p, c) { seen[p] = seen[p] || c; return seen[p] === c ? 1 : 0; }`;
  t.deepEqual(await codes(remembering), ['environment/reward-not-repeatable']);
  const drifting = `let n0 = 0;\n${withPrompts('n0 += 1; return Array.from({ length: n }, () => "a" + n0 + ">");')}`;
  t.deepEqual(await codes(drifting), ['environment/prompts-not-repeatable']);
  t.deepEqual(await codes(withReward('if (completion === "") return 0; throw new Error("mine");')), [
    'environment/threw',
  ]);
});
