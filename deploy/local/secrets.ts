import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StackError } from './home.ts';

/**
 * What hidden items are drawn from: made once for a home and kept, so that pinned baselines hold. Readable by its owner
 * only. Taking the file away makes all items new, and every baseline is measured again.
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
      `${file} has ${seed.length} characters, a secret has 16 or more: take the file away for a new one`,
    );
  return seed;
}
