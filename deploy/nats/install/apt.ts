// Programs out of Debian packages, without root. A package is downloaded and unpacked, never installed: the postinst of
// nats-server, as that of prometheus, would enable a system service. A private apt configuration keeps lists, cache and
// status in our own folder, so the machine's apt is neither needed fresh nor touched, and no lock of its is taken.
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute } from './command.ts';
import { sourcesOfSuite } from './sources.ts';
import type { Errand } from './wanted.ts';

export async function fromApt({ wanted: { suite }, ...errand }: Errand): Promise<string> {
  return join(await unpacked({ name: 'nats-server', suite, ...errand }), 'usr', 'sbin', 'nats-server');
}

interface Package extends Omit<Errand, 'wanted'> {
  readonly name: string;
  /** Without it, whatever this machine's own sources offer. */
  readonly suite?: string | undefined;
}

/** The folder in `dir` where a package lies unpacked. */
export async function unpacked(wanted: Package): Promise<string> {
  const { name, suite, dir, env, onStep } = wanted;
  onStep(`fetching the package ${name} with apt${suite ? ` from Debian ${suite}` : ''}`);
  await download(wanted);
  const deb = (await readdir(dir)).find((file) => file.endsWith('.deb'));
  if (deb === undefined) throw new Error('"apt-get download" left no package behind');
  await execute('dpkg-deb', ['--extract', deb, 'package'], { env, cwd: dir });
  return join(dir, 'package');
}

async function download(wanted: Package): Promise<void> {
  const { name, suite, env, dir } = wanted;
  const options = ['-q', '-c', await privateConfiguration(wanted)];
  const reasons = new Set<string>();
  const works = (args: string[]) =>
    execute('apt-get', args, { env, cwd: dir }).then(
      () => true,
      (error: Error) => !reasons.add(error.message),
    );
  // One dead third-party source fails "update" as a whole, though the list that counts has arrived: go on.
  await works(['update', ...options]);
  if (await works(['download', ...options, name])) return;
  // The machine's own lists may hold it where ours could not be fetched.
  if (suite === undefined && (await works(['download', '-q', name]))) return;
  throw new Error([...reasons].join(', and '));
}

/** Writes apt.conf with everything it names; the sources are the machine's own unless a suite is wanted. */
async function privateConfiguration({ suite, dir }: Package): Promise<string> {
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
  if (suite !== undefined) {
    await writeFile(at('suite.sources'), await sourcesOfSuite(suite));
    lines.push(`Dir::Etc::SourceList "${at('suite.sources')}";`, 'Dir::Etc::SourceParts "/nonexistent";');
  }
  await writeFile(at('apt.conf'), `${lines.join('\n')}\n`);
  return at('apt.conf');
}
