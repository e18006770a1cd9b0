import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** What a running stack writes into its home, so that other commands find it. Only its owner can read it. */
const stackFile = z.strictObject({
  pid: z.int(),
  startedAt: z.string(),
  url: z.string(),
  monitorUrl: z.string().nullable(),
  flat: z.boolean(),
  passwords: z.record(z.string(), z.string()),
});
export type StackFile = z.infer<typeof stackFile>;

/** A command at the wrong moment: the message says what to do instead. */
export class StackError extends Error {}

/** The folder of everything that belongs to an installation; two homes on one machine do not affect each other. */
export const homeOf = (env: Readonly<Record<string, string | undefined>>): string =>
  resolve(env.UPLIFT_HOME ?? '.uplift');

const fileOf = (home: string): string => join(home, 'stack.json');
const lockOf = (home: string): string => join(home, 'lock');

/** Locks the home for this process; returns how to unlock it. Throws `StackError` if a live process has the lock. */
export function lock(home: string): () => void {
  mkdirSync(home, { recursive: true });
  const mine = (): void => writeFileSync(lockOf(home), `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
  try {
    mine();
  } catch (error) {
    const owner = ownerOf(home);
    if (owner !== undefined && isAlive(owner))
      throw new StackError(
        `a stack is already running in ${home} (process ${owner}): stop it, or set UPLIFT_HOME to another folder`,
      );
    if (owner === undefined && !(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    rmSync(lockOf(home), { force: true });
    mine();
  }
  return () => {
    rmSync(fileOf(home), { force: true });
    rmSync(lockOf(home), { force: true });
  };
}

function ownerOf(home: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(lockOf(home), 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

export const writeStackFile = (home: string, stack: StackFile): void =>
  writeFileSync(fileOf(home), `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });

/** The stack that runs in this home. Throws `StackError` if none does. */
export function readStackFile(home: string): StackFile {
  try {
    const found = stackFile.parse(JSON.parse(readFileSync(fileOf(home), 'utf8')));
    if (isAlive(found.pid)) return found;
  } catch {
    // no file, or not one of ours: no stack
  }
  throw new StackError(
    `no stack is running in ${home}: start one with "npm start", or set UPLIFT_HOME to where it runs`,
  );
}
