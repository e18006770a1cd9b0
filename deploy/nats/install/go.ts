import { join } from 'node:path';
import { execute } from './command.ts';
import type { Errand } from './wanted.ts';

/** nats-server built from its source; Go checks the source against its checksum database. */
export async function fromGo({ wanted: { release }, dir, env, onStep }: Errand): Promise<string> {
  onStep(`building nats-server ${release.version} with go, which takes a minute or two`);
  const source = `github.com/nats-io/nats-server/v2@v${release.version}`;
  await execute('go', ['install', source], {
    env: { ...env, GOBIN: dir, CGO_ENABLED: '0' },
    cwd: dir,
    timeoutMs: 600_000,
  });
  return join(dir, 'nats-server');
}
