import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findPrometheus, PrometheusMissing } from '../../deploy/prometheus/install.ts';

/** A machine with nothing on its PATH but what a test puts there. */
async function bareMachine(t: ExecutionContext) {
  const root = await mkdtemp(join(tmpdir(), 'uplift-prometheus-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const [path, home] = [join(root, 'usr/bin'), join(root, 'home')];
  return { path, home, options: { home, env: { PATH: path } } };
}

/** Not the programs, only something that answers `--version` as they do. */
async function standIns(folder: string, version: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of ['prometheus', 'promtool']) {
    await writeFile(join(folder, name), `#!/bin/sh\necho "${name}, version ${version}+ds (branch: debian)"\n`);
    await chmod(join(folder, name), 0o755);
  }
}

test('the programs on the PATH come first, then those that are kept, and none is fetched', async (t) => {
  const { path, home, options } = await bareMachine(t);
  await standIns(join(home, 'bin'), '2.42.0');
  t.deepEqual(await findPrometheus(options), {
    prometheus: join(home, 'bin/prometheus'),
    promtool: join(home, 'bin/promtool'),
    version: '2.42.0',
  });
  await standIns(path, '3.1.0');
  t.like(await findPrometheus(options), { prometheus: join(path, 'prometheus'), version: '3.1.0' });
});

test('a machine that has none and no way to one is told why, and three ways to get it', async (t) => {
  const { home, options } = await bareMachine(t);
  const error = await t.throwsAsync(findPrometheus(options), { instanceOf: PrometheusMissing });
  t.regex(error?.message ?? '', /"apt-get" is not installed here/);
  t.regex(error?.message ?? '', /apt-get install prometheus.*brew install prometheus.*prometheus\.io\/download/);
  t.true(error?.message.includes(join(home, 'bin')));
});
