// nats-server out of its Debian package, without root. The package is downloaded and unpacked, never installed:
// its postinst would enable a system service on port 4222. A private apt configuration keeps lists, cache and
// status in our own folder, so the machine's apt is neither needed fresh nor touched, and no lock of its is taken.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute } from './command.ts';
import { sourcesOfSuite } from './sources.ts';
import type { Errand } from './wanted.ts';

export async function fromApt(errand: Errand): Promise<string> {
  const { wanted, dir, env, onStep } = errand;
  onStep(`fetching the package nats-server with apt${wanted.suite ? ` from Debian ${wanted.suite}` : ''}`);
  await download(errand);
  const deb = (await readdir(dir)).find((name) => name.endsWith('.deb'));
  if (deb === undefined) throw new Error('"apt-get download" left no package behind');
  await execute('dpkg-deb', ['--extract', deb, 'package'], { env, cwd: dir });
  return join(dir, 'package', 'usr', 'sbin', 'nats-server');
}

async function download(errand: Errand): Promise<void> {
  const options = ['-q', '-c', await privateConfiguration(errand)];
  const reasons = new Set<string>();
  const works = (args: string[]) =>
    execute('apt-get', args, { env: errand.env, cwd: errand.dir }).then(
      () => true,
      (error: Error) => !reasons.add(error.message),
    );
  // One dead third-party source fails "update" as a whole, though the list that counts has arrived: go on.
  await works(['update', ...options]);
  if (await works(['download', ...options, 'nats-server'])) return;
  // The machine's own lists may hold it where ours could not be fetched.
  if (errand.wanted.suite === undefined && (await works(['download', '-q', 'nats-server']))) return;
  throw new Error([...reasons].join(', and '));
}

/** Writes apt.conf with everything it names; the sources are the machine's own unless a suite is wanted. */
async function privateConfiguration({ wanted, dir }: Errand): Promise<string> {
  const at = (name: string) => join(dir, 'apt', name);
  await mkdir(at('lists/partial'), { recursive: true });
  await mkdir(at('archives/partial'), { recursive: true });
  await writeFile(at('status'), '');
  const lines = [
    `Dir::State "${at('')}";`,
    `Dir::State::lists "${at('lists')}";`,
    `Dir::State::status "${at('status')}";`,
    `Dir::Cache "${at('')}";`,
    `Dir::Cache::archives "${at('archives')}";`,
    'Acquire::Languages "none";',
    'Acquire::http::Timeout "15";',
    'Acquire::https::Timeout "15";',
    // Hooks of the machine's own apt: they tell its desktop, or clean its cache.
    '#clear APT::Update::Pre-Invoke;',
    '#clear APT::Update::Post-Invoke;',
    '#clear APT::Update::Post-Invoke-Success;',
  ];
  if (wanted.suite !== undefined) {
    await writeFile(at('suite.sources'), await sourcesOfSuite(wanted.suite));
    lines.push(`Dir::Etc::SourceList "${at('suite.sources')}";`, 'Dir::Etc::SourceParts "/nonexistent";');
  }
  await writeFile(at('apt.conf'), `${lines.join('\n')}\n`);
  return at('apt.conf');
}
