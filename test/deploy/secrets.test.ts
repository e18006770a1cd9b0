import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { StackError } from '../../deploy/local/home.ts';
import { hiddenSeedOf, mindKeysOf, withoutKeys } from '../../deploy/local/secrets.ts';

test('a home has one hidden seed, kept for its owner alone', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'uplift-home-'));
  t.teardown(() => rmSync(home, { recursive: true }));
  const seed = hiddenSeedOf(home);
  t.true(seed.length >= 40);
  t.is(hiddenSeedOf(home), seed);
  const file = join(home, 'secrets', 'hidden-seed');
  t.is(statSync(file).mode & 0o777, 0o600);
  t.is(statSync(join(home, 'secrets')).mode & 0o777, 0o700);
  t.is(readFileSync(file, 'utf8').trim(), seed);
  const other = mkdtempSync(join(tmpdir(), 'uplift-home-'));
  t.teardown(() => rmSync(other, { recursive: true }));
  t.not(hiddenSeedOf(other), seed);
  writeFileSync(file, 'short\n');
  t.throws(() => hiddenSeedOf(home), { instanceOf: StackError, message: /has 5 characters.*delete the file/ });
});

test('keys of language models are for the agent alone, and no service gets a key that is not its own', (t) => {
  const keys = { UPLIFT_AGENT_MIND_KEY: 'a', UPLIFT_AGENT_MIND_KEY_FILE: '/key', OPENAI_API_KEY: 'b' };
  const others = { OTHER_API_KEY: 'c', ANTHROPIC_AUTH_TOKEN: 'd', OPENAI_ORG_ID: 'e' };
  const harmless = { PATH: '/bin', UPLIFT_HOME: '/home', UPLIFT_AGENT_ANSWER_SECONDS: '5', KEYBOARD: 'us' };
  t.deepEqual(withoutKeys({ ...keys, ...others, ...harmless }), harmless);
  t.deepEqual(mindKeysOf({ ...keys, ...others, ...harmless }), keys);
});
