import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { Bus } from '#kit/bus';
import { exactly } from '#protocol/pod';
import { type Stack, startStack } from '../../deploy/local/stack.ts';
import { binary, type Which } from './house.ts';

export function freshHome(t: Pick<ExecutionContext, 'teardown'>): string {
  const home = mkdtempSync(join(tmpdir(), 'uplift-home-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** An environment whose nats-server is the one wanted: the search looks on the PATH first. */
export async function environmentWith(home: string, which: Which): Promise<NodeJS.ProcessEnv> {
  const { path } = await binary(which);
  const bin = join(home, 'path');
  mkdirSync(bin);
  symlinkSync(path, join(bin, 'nats-server'));
  return { ...process.env, PATH: `${bin}:${process.env.PATH}`, UPLIFT_LOG_LEVEL: 'warn', UPLIFT_HOME: home };
}

/** Everything, in a home of its own; gone when the test ends. */
export async function stackOn(
  t: Pick<ExecutionContext, 'teardown'> & { log(line: string): void },
  which: Which,
  pods: number,
): Promise<{ stack: Stack; operator: Bus; viewer: Bus; home: string }> {
  const home = freshHome(t);
  const env = await environmentWith(home, which);
  const stack = await startStack({ home, env, replicas: {}, pods: exactly(pods), onLine: (line) => t.log(line) });
  const operator = await Bus.connect(stack.access('operator'));
  const viewer = await Bus.connect(stack.access('viewer'));
  t.teardown(async () => {
    await Promise.all([operator.close(), viewer.close()]);
    await stack.stop();
  });
  return { stack, operator, viewer, home };
}
