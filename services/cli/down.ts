import { sleep } from '#kit/clock';
import { homeOf, isAlive, readStackFile } from '../../deploy/local/home.ts';
import { say } from './say.ts';

const waitMs = 30_000;

/** Stops the stack of this home; returns when its process has ended, and with it everything it had started. */
export async function down(): Promise<void> {
  const { pid } = readStackFile(homeOf(process.env));
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + waitMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline)
      throw new Error(
        `process ${pid} is still running after ${waitMs / 1000} s: "kill -9 ${pid}" ends it and everything it started`,
      );
    await sleep(50);
  }
  say(`stopped (process ${pid}); nothing of it is left running`);
}
