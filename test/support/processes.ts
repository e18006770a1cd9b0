import type { ExecutionContext } from 'ava';
import { type Leashed, leashed } from '../../deploy/local/leash.ts';
import { until } from './house.ts';
import type { ActorName } from './relay-main.ts';
import { moduleFile } from './root.ts';

const main = moduleFile('./relay-main', import.meta.url);

export interface ActorProcess extends Leashed {
  readonly names: readonly ActorName[];
  kill9(): Promise<void>;
  /** SIGSTOP: it neither does nor says anything, and its connections stay. */
  freeze(): void;
  thaw(): void;
}

/** A process that serves these actors; gone when the test ends. It serves when this returns. */
export async function startProcess(
  t: Pick<ExecutionContext, 'teardown'>,
  url: string,
  names: readonly ActorName[],
): Promise<ActorProcess> {
  const process = launch(t, url, names);
  let said = '';
  process.child.stdout?.on('data', (chunk) => {
    said += chunk;
  });
  await until(`${names} says that it serves`, () => said.includes('serving') || process.child.exitCode !== null, 60);
  if (process.child.exitCode !== null) throw new Error(`${names} ended with ${process.child.exitCode}`);
  return process;
}

export function launch(t: Pick<ExecutionContext, 'teardown'>, url: string, names: readonly ActorName[]): ActorProcess {
  const env = { ...process.env, UPLIFT_LOG_LEVEL: process.env.UPLIFT_TEST_LOG ?? 'silent' };
  const leash = leashed(process.execPath, [main, url, ...names], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill9 = async (): Promise<void> => {
    leash.child.kill('SIGKILL');
    await leash.ended;
  };
  t.teardown(kill9);
  return {
    ...leash,
    names,
    kill9,
    freeze: () => void leash.child.kill('SIGSTOP'),
    thaw: () => void leash.child.kill('SIGCONT'),
  };
}
