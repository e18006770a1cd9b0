import { readlink, rm, symlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 300_000;

/**
 * Lets one process at a time do `work`. This is thrift, not safety: the work must be right when done twice at
 * once, so a lock whose owner died is simply taken over, and one held too long is ignored.
 */
export async function oneAtATime<Result>(lock: string, work: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + patienceMs;
  while (!(await taken(lock)) && Date.now() < deadline) {
    if (await ownerIsGone(lock)) await rm(lock, { force: true });
    else await sleep(100);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** The lock is a symbolic link to its owner's process id: made and filled in one step, unlike a file. */
async function taken(lock: string): Promise<boolean> {
  try {
    await symlink(String(process.pid), lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function ownerIsGone(lock: string): Promise<boolean> {
  try {
    process.kill(Number(await readlink(lock)), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
