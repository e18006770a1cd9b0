// Where prometheus and promtool come from. As with nats-server (../nats/install.ts) everything is kept under `home`,
// nothing is installed on the system, and root is never needed.
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { unpacked } from '../nats/install/apt.ts';
import { execute } from '../nats/install/command.ts';
import { oneAtATime } from '../nats/install/lock.ts';

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
  readonly version: string;
}

interface Options {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onStep?: (line: string) => void;
}

export class PrometheusMissing extends Error {
  override readonly name = 'PrometheusMissing';
  constructor(bin: string, reason: string) {
    super(
      `prometheus and promtool are neither on the PATH nor in ${bin}, and could not be fetched (${reason}). ` +
        'Install them (Debian, Ubuntu: "sudo apt-get install prometheus"; macOS: "brew install prometheus"), or take ' +
        `a release from https://prometheus.io/download and put its two programs into ${bin}`,
    );
  }
}

/** The two programs on the PATH, else the copies kept in `<home>/bin`, else those of Debian's package, fetched there. */
export async function findPrometheus({ home, env, onStep = () => {} }: Options): Promise<PrometheusPrograms> {
  const bin = resolve(home, 'bin');
  for (const folder of [...(env.PATH ?? '').split(delimiter).filter((one) => one !== ''), bin]) {
    const found = await programsIn(resolve(folder), env);
    if (found) return found;
  }
  try {
    await mkdir(bin, { recursive: true });
    const lock = join(bin, '.prometheus.lock');
    return await oneAtATime(lock, async () => (await programsIn(bin, env)) ?? (await fetched(bin, env, onStep)));
  } catch (error) {
    throw new PrometheusMissing(bin, error instanceof Error ? error.message : String(error));
  }
}

async function programsIn(folder: string, env: NodeJS.ProcessEnv): Promise<PrometheusPrograms | undefined> {
  const [prometheus, promtool] = [join(folder, 'prometheus'), join(folder, 'promtool')];
  const [answer] = await Promise.all(
    [prometheus, promtool].map((path) => execute(path, ['--version'], { env, timeoutMs: 10_000 }).catch(() => '')),
  );
  const version = /version (\d+\.\d+\.\d+)/.exec(answer ?? '')?.[1];
  return version === undefined ? undefined : { prometheus, promtool, version };
}

/** promtool first: where prometheus is, both are. */
async function fetched(bin: string, env: NodeJS.ProcessEnv, onStep: (line: string) => void) {
  const dir = await mkdtemp(join(bin, '.installing-'));
  try {
    const programs = join(await unpacked({ name: 'prometheus', dir, env, onStep }), 'usr', 'bin');
    for (const name of ['promtool', 'prometheus']) await rename(join(programs, name), join(bin, name));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  const found = await programsIn(bin, env);
  if (!found) throw new Error('the programs of the package do not run here');
  onStep(`prometheus ${found.version} is now at ${found.prometheus}`);
  return found;
}
