import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StackError } from './home.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys of endpoints at which language models answer: for the agent, and for nobody else. */
const mindKeys = ['UPLIFT_AGENT_MIND_KEY', 'UPLIFT_AGENT_MIND_KEY_FILE', 'OPENAI_API_KEY'] as const;

export const mindKeysOf = (env: Environment): Environment =>
  Object.fromEntries(mindKeys.map((name) => [name, env[name]]));

/** Whose value may be a key to some account: no service gets it unless it is its own. */
const isKey = (name: string): boolean =>
  mindKeys.some((one) => one === name) || /_API_KEY(_FILE)?$|^(OPENAI|ANTHROPIC)_/.test(name);

/** Without every variable that may hold a key. */
export const withoutKeys = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isKey(name)));

/**
 * The secret seed of the hidden items: made once for a home and kept, so that pinned baselines stay valid. Only its
 * owner can read it. Deleting the file gives all new items, and every baseline is measured again.
 */
export function hiddenSeedOf(home: string): string {
  const folder = join(home, 'secrets');
  const file = join(folder, 'hidden-seed');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    // a home has one stack at a time, so nobody else is writing it
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const seed = readFileSync(file, 'utf8').trim();
  if (seed.length < 16)
    throw new StackError(
      `${file} has ${seed.length} characters, but a secret has 16 or more: delete the file to get a new one`,
    );
  return seed;
}
