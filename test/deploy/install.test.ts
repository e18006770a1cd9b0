import { createHash } from 'node:crypto';
import { access, chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { fromArchive, thisPlatform } from '../../deploy/nats/install/archive.ts';
import { execute } from '../../deploy/nats/install/command.ts';
import { sourcesOfSuite } from '../../deploy/nats/install/sources.ts';
import type { Release } from '../../deploy/nats/install/wanted.ts';
import { findNatsServer, NatsServerMissing, NatsServerTooOld, readNatsServer } from '../../deploy/nats/install.ts';

const deadUrl = 'http://127.0.0.1:47'; // a port that belongs to nobody

async function folder(t: ExecutionContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'uplift-install-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function script(path: string, ...lines: string[]): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o755);
  return path;
}

/** Not a server, only something that answers `--version` as one does. */
function answering(path: string, version: string): Promise<string> {
  return script(path, `echo "nats-server: v${version}"`);
}

/** A machine with nothing on its PATH but what a test puts into `bin`, and steps as they were told. */
async function bareMachine(t: ExecutionContext) {
  const root = await folder(t);
  const steps: string[] = [];
  const env: NodeJS.ProcessEnv = { PATH: join(root, 'usr/bin'), UPLIFT_NATS_ARCHIVE_URL: deadUrl };
  const home = join(root, 'home');
  const options = { home, env, onStep: (line: string) => steps.push(line) };
  return { bin: join(root, 'usr/bin'), sbin: join(root, 'usr/sbin'), kept: join(home, 'bin'), options, steps };
}

/** A `go` that needs no network: its "build" is a script, and it counts how often it was asked. */
async function standInGo(bin: string, version: string): Promise<string> {
  const runs = join(bin, 'go-runs');
  await answering(join(bin, 'built'), version);
  await script(join(bin, 'go'), `echo "$*" >> ${runs}`, `/bin/cp ${bin}/built "$GOBIN/nats-server"`);
  return runs;
}

test('the nats-server on the PATH comes first, and none is fetched', async (t) => {
  const { bin, kept, options, steps } = await bareMachine(t);
  const path = await answering(join(bin, 'nats-server'), '2.10.27');
  await answering(join(kept, 'nats-server'), '2.14.5');
  t.deepEqual(await findNatsServer(options), { path, version: '2.10.27', how: 'path' });
  t.deepEqual(steps, []);
});

test('the sbin beside a bin on the PATH is looked at, where Debian puts nats-server', async (t) => {
  const { sbin, options } = await bareMachine(t);
  const path = await answering(join(sbin, 'nats-server'), '2.9.10');
  t.deepEqual(await findNatsServer(options), { path, version: '2.9.10', how: 'path' });
});

test('a version below 2.9.10 is refused by name', async (t) => {
  const path = await answering(join(await folder(t), 'nats-server'), '2.9.9');
  await t.throwsAsync(readNatsServer(path, 'path'), {
    instanceOf: NatsServerTooOld,
    message: `nats-server 2.9.9 at ${path} is too old, 2.9.10 or newer is needed: update it, or let Uplift fetch its own`,
  });
  t.is((await readNatsServer(await answering(path, '2.10.0'), 'path')).version, '2.10.0');
});

test('a program that is no nats-server is refused', async (t) => {
  const path = await script(join(await folder(t), 'nats-server'), 'echo hello');
  await t.throwsAsync(readNatsServer(path, 'path'), {
    message: `"${path} --version" answered "hello", which names no version: is it a nats-server?`,
  });
});

test('a nats-server on the PATH that is too old is passed over for the copy kept', async (t) => {
  const { bin, kept, options, steps } = await bareMachine(t);
  await answering(join(bin, 'nats-server'), '2.6.1');
  const path = await answering(join(kept, 'nats-server'), '2.9.10');
  t.deepEqual(await findNatsServer(options), { path, version: '2.9.10', how: 'kept' });
  t.is(steps.length, 1);
  t.regex(steps[0] ?? '', /nats-server 2\.6\.1 at .* is too old.*; looking further$/);
});

test('with nothing anywhere, one paragraph says what was tried and the three ways to get it', async (t) => {
  const { bin, options } = await bareMachine(t);
  await answering(join(bin, 'nats-server'), '2.6.1');
  const failure = await t.throwsAsync(findNatsServer(options), { instanceOf: NatsServerMissing });
  const message = failure?.message ?? '';
  t.log(message);
  t.regex(message, /^No nats-server \(2\.9\.10 or newer\) was found on the PATH or in .*home\/bin, and none could be/);
  t.regex(message, /found: nats-server 2\.6\.1 at .*; apt: "apt-get" is not installed here/);
  t.regex(message, /archive: http:\/\/127\.0\.0\.1:47\/v2\.14\.5\/.* could not be fetched: .*; go: .*; docker: /);
  t.regex(message, /apt-get install nats-server.*github\.com\/nats-io\/nats-server\/releases.*UPLIFT_NATS_URL=nats:/);
});

test('a home that cannot be written to is said, at once', async (t) => {
  const { bin, options } = await bareMachine(t);
  const home = await script(join(bin, 'a-file'));
  await t.throwsAsync(findNatsServer({ ...options, home }), { message: /keeping a copy in .*a-file\/bin: ENOTDIR/ });
});

test('an archive with the pinned checksum is unpacked, any other is refused', async (t) => {
  const dir = await folder(t);
  const name = `nats-server-v2.14.5-${thisPlatform()}`;
  const program = await answering(join(dir, name, 'nats-server'), '2.14.5');
  await execute('tar', ['-czf', `${name}.tar.gz`, name], { env: process.env, cwd: dir });
  const archive = await readFile(join(dir, `${name}.tar.gz`));
  const paths: unknown[] = [];
  const mirror = createServer((request, response) => {
    paths.push(request.url);
    response.end(archive);
  });
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
  t.teardown(() => mirror.close());
  const address = mirror.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;

  // 1. The archive a test made, with the checksum of just that.
  const sum = createHash('sha256').update(archive).digest('hex');
  const release: Release = { version: '2.14.5', sha256: { [thisPlatform()]: sum } };
  const wanted = { file: 'nats-server', versions: { least: '2.9.10' }, release };
  const env = { ...process.env, UPLIFT_NATS_ARCHIVE_URL: url };
  const unpacked = await fromArchive({ wanted, dir: await folder(t), env, onStep: () => {} });
  t.deepEqual(await readFile(unpacked), await readFile(program));
  t.deepEqual(paths, [`/v2.14.5/${name}.tar.gz`]);

  // 2. The same bytes where the official release is wanted.
  const { options, kept } = await bareMachine(t);
  const refused = findNatsServer({ ...options, env: { ...options.env, UPLIFT_NATS_ARCHIVE_URL: url } });
  await t.throwsAsync(refused, {
    message: new RegExp(
      `archive: ${url}/.* has the sha256 ${sum}, but [0-9a-f]{64} is pinned: .* nothing of it was kept`,
    ),
  });
  t.deepEqual(await readdir(kept), []);
});

test('go and docker are asked when nothing else works, for one release', async (t) => {
  const { bin, kept, options } = await bareMachine(t);
  const runs = await standInGo(bin, '2.14.5');
  const found = { path: join(kept, 'nats-server'), version: '2.14.5' };
  t.deepEqual(await findNatsServer(options), { ...found, how: 'go' });
  t.is(await readFile(runs, 'utf8'), 'install github.com/nats-io/nats-server/v2@v2.14.5\n');

  // 2. Without go. The container is created, copied from and removed; it never runs.
  await Promise.all([rm(join(bin, 'go')), rm(found.path)]);
  const calls = join(bin, 'docker-calls');
  const cases = `case $1 in create) echo pulling >&2; echo c0ffee;; cp) /bin/cp ${bin}/built "$3";; esac`;
  await script(join(bin, 'docker'), `echo "$1 $2" >> ${calls}`, cases);
  t.deepEqual(await findNatsServer(options), { ...found, how: 'docker' });
  t.is(await readFile(calls, 'utf8'), 'create nats:2.14.5\ncp c0ffee:/nats-server\nrm c0ffee\n');
});

test('what is fetched but too old is not kept', async (t) => {
  const { bin, kept, options } = await bareMachine(t);
  await standInGo(bin, '2.1.0');
  await t.throwsAsync(findNatsServer(options), { message: /go: nats-server 2\.1\.0 at .* is too old/ });
  t.deepEqual(await readdir(kept), []);
});

test('four at once fetch once, though the lock is left from a process that died', async (t) => {
  const { bin, kept, options } = await bareMachine(t);
  const runs = await standInGo(bin, '2.14.5');
  await mkdir(kept, { recursive: true });
  await symlink('999999999', join(kept, '.nats-server.lock'));
  const all = await Promise.all([1, 2, 3, 4].map(() => findNatsServer(options)));
  t.deepEqual(new Set(all.map(({ path }) => path)), new Set([join(kept, 'nats-server')]));
  t.is((await readFile(runs, 'utf8')).trim().split('\n').length, 1);
  t.deepEqual(await readdir(kept), ['nats-server']);
});

test('apt gives one, and leaves nothing but the program', async (t) => {
  const steps: string[] = [];
  const home = await folder(t);
  const env = { ...process.env, UPLIFT_NATS_ARCHIVE_URL: deadUrl };
  const hasApt = await access('/usr/bin/apt-get').then(
    () => true,
    () => false,
  );
  if (!hasApt) {
    t.log('this host has no apt: not tried here');
    return t.pass();
  }
  const found = await findNatsServer({ home, env, onStep: (line) => steps.push(line) });
  t.log(found, steps);
  if (found.how === 'path') return t.log('this host has a nats-server on its PATH: apt was not tried');
  t.is(found.how, 'apt');
  t.deepEqual(await readdir(home), ['bin']);
  t.deepEqual(await readdir(join(home, 'bin')), ['nats-server']);
  t.is((await findNatsServer({ home, env })).how, 'kept');
});

test("another Debian suite comes from the machine's own mirror, checked with its own key", async (t) => {
  const etc = await folder(t);
  const parts = join(etc, 'apt/sources.list.d');
  await mkdir(parts, { recursive: true });
  await writeFile(join(etc, 'os-release'), 'ID=debian\nVERSION_CODENAME=bookworm\n');
  await writeFile(
    join(etc, 'apt/sources.list'),
    [
      '# deb http://commented.test/debian bookworm main',
      'deb [ arch=amd64 signed-by=/keys/one.gpg ] http://one.test/debian bookworm main contrib # home',
      'deb-src http://one.test/debian bookworm main',
      'deb http://one.test/security bookworm-security main',
    ].join('\n'),
  );
  await writeFile(
    join(parts, 'debian.sources'),
    'Types: deb deb-src\n# a comment\nURIs: http://two.test/debian\nSuites: bookworm bookworm-updates\n' +
      'Components: main\nSigned-By:\n -----BEGIN KEY-----\n .\n abc\n\n' +
      'Types: deb\nEnabled: no\nURIs: http://off.test\nSuites: bookworm\nComponents: main\n\n' +
      'Types: deb\nURIs: http://vendor.test\nSuites: nodistro\nComponents: main\n',
  );
  await writeFile(join(parts, 'old.list.disabled'), 'deb http://off.test/debian bookworm main\n');
  t.is(
    await sourcesOfSuite('forky', etc),
    'Types: deb\nURIs: http://one.test/debian\nSuites: forky\nComponents: main\nSigned-By: /keys/one.gpg\n\n' +
      'Types: deb\nURIs: http://two.test/debian\nSuites: forky\nComponents: main\n' +
      'Signed-By: -----BEGIN KEY-----\n .\n abc\n',
  );
});

test('a machine without a Debian source says so', async (t) => {
  const etc = await folder(t);
  await t.throwsAsync(sourcesOfSuite('forky', etc), {
    message: `no apt source in ${etc}/apt offers main of this machine's own release, so "forky" is unknown`,
  });
});
