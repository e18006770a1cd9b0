import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fromApt } from './apt.ts';
import { fromArchive } from './archive.ts';
import { type NatsBinary, readNatsServer } from './binary.ts';
import { fromDocker } from './docker.ts';
import { fromGo } from './go.ts';
import { oneAtATime } from './lock.ts';
import type { Search } from './search.ts';
import type { Wanted, Way } from './wanted.ts';

const ways: ReadonlyArray<readonly [NatsBinary['how'], Way]> = [
  ['apt', fromApt],
  ['archive', fromArchive],
  ['go', fromGo],
  ['docker', fromDocker],
];

/** The copy in `<home>/bin`, or else one put there by the first way that works; undefined if none does. */
export async function keptOrInstalled(search: Search, wanted: Wanted): Promise<NatsBinary | undefined> {
  const bin = join(search.home, 'bin');
  const kept = () => search.look(join(bin, wanted.file), 'kept', wanted.versions);
  return (
    (await kept()) ??
    search.attempt(`keeping a copy in ${bin}`, async () => {
      await mkdir(bin, { recursive: true });
      // Another process may have installed it while this one waited for the lock.
      return oneAtATime(join(bin, `.${wanted.file}.lock`), async () => (await kept()) ?? install(search, wanted));
    })
  );
}

async function install(search: Search, wanted: Wanted): Promise<NatsBinary | undefined> {
  for (const [how, way] of ways) {
    const installed = await search.attempt(how, () => installBy(way, how, { search, wanted }));
    if (installed !== undefined) return installed;
  }
  return undefined;
}

/** Everything happens in a folder of its own beside the target, so the last step is one atomic rename. */
async function installBy(way: Way, how: NatsBinary['how'], what: { search: Search; wanted: Wanted }) {
  const { search, wanted } = what;
  const bin = join(search.home, 'bin');
  const dir = await mkdtemp(join(bin, '.installing-'));
  try {
    const program = await way({ wanted, dir, env: search.env, onStep: search.onStep });
    await chmod(program, 0o755);
    const found = await readNatsServer(program, how, wanted.versions);
    const path = join(bin, wanted.file);
    await rename(program, path);
    search.onStep(`nats-server ${found.version} is now at ${path}`);
    return { ...found, path };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
