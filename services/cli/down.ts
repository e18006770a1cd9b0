import { sleep } from '#kit/clock';
import { homeOf, readStackFile } from '../../deploy/local/home.ts';
import { say } from './say.ts';

const waitMs = 30_000;

/** Tells the stack of this home to stop; returns when its process is gone, and with it all that it leashed. */
export async function down(): Promise<void> {
  const { pid } = readStackFile(homeOf(process.env));
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + waitMs;
  while (isThere(pid)) {
    if (performance.now() > deadline) throw new Error(`process ${pid} is still there after ${waitMs / 1000} s`);
    await sleep(50);
  }
  say(`stopped (process ${pid}); nothing of it is left running`);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
