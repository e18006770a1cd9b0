import { join } from 'node:path';
import { execute } from './command.ts';
import type { Errand } from './wanted.ts';

/** nats-server copied out of its official image: a container is created for that, and never started. */
export async function fromDocker({ wanted: { release }, dir, env, onStep }: Errand): Promise<string> {
  if (process.platform !== 'linux') {
    throw new Error(`the program in the image is for Linux and does not run on "${process.platform}"`);
  }
  const image = `nats:${release.version}`;
  onStep(`copying nats-server out of the image ${image}`);
  const created = await execute('docker', ['create', image], { env, timeoutMs: 300_000 });
  const container = created.trim().split('\n').at(-1) ?? '';
  const program = join(dir, 'nats-server');
  try {
    await execute('docker', ['cp', `${container}:/nats-server`, program], { env });
  } finally {
    await execute('docker', ['rm', container], { env });
  }
  return program;
}
