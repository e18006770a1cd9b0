import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StackError } from './home.ts';

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
