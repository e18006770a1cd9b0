// Where the nats-server program comes from. Whoever has UPLIFT_NATS_URL needs none and does not ask here.
// Everything is kept under `home`; nothing is installed on the system, and root is never needed.
import { delimiter, resolve } from 'node:path';
import { type NatsBinary, supported } from './install/binary.ts';
import { keptOrInstalled } from './install/keep.ts';
import { Search, type SearchOptions } from './install/search.ts';
import { newestRelease, oldestRelease, type Wanted } from './install/wanted.ts';

export { type NatsBinary, NatsServerTooOld, readNatsServer } from './install/binary.ts';

export class NatsServerMissing extends Error {
  override readonly name = 'NatsServerMissing';
  constructor({ file, versions }: Wanted, { home, reasons }: Search) {
    super(
      `No nats-server (${versions.least} or newer${versions.below ? `, older than ${versions.below}` : ''}) ` +
        `was found on the PATH or in ${home}/bin, and none could be fetched. Tried: ${[...reasons].join('; ')}. ` +
        'Three ways to get one: install it (Debian, Ubuntu: "sudo apt-get install nats-server"; ' +
        'macOS: "brew install nats-server"); or take a release from https://github.com/nats-io/nats-server/releases ' +
        `and put its program at ${home}/bin/${file}; or let Uplift use a server that runs elsewhere: ` +
        'UPLIFT_NATS_URL=nats://host:4222',
    );
  }
}

/** Any supported nats-server: the one on the PATH, else the copy kept in `<home>/bin`, else one fetched there. */
export async function findNatsServer(options: SearchOptions): Promise<NatsBinary> {
  const search = new Search(options);
  return (await onThePath(search)) ?? got(search, { file: 'nats-server', versions: supported, release: newestRelease });
}

/** For tests: a server of today, whatever this machine has. Debian's newest suite is the first place to ask. */
export function currentNatsServer(options: SearchOptions): Promise<NatsBinary> {
  return got(new Search(options), {
    file: 'nats-server-current',
    versions: { least: '2.14.0' },
    suite: 'forky',
    release: newestRelease,
  });
}

/** For tests: the oldest server we support. */
export function oldestNatsServer(options: SearchOptions): Promise<NatsBinary> {
  return got(new Search(options), {
    file: 'nats-server-2.9',
    versions: { ...supported, below: '2.10.0' },
    suite: 'bookworm',
    release: oldestRelease,
  });
}

async function got(search: Search, wanted: Wanted): Promise<NatsBinary> {
  const binary = await keptOrInstalled(search, wanted);
  if (binary === undefined) throw new NatsServerMissing(wanted, search);
  return binary;
}

/** Debian puts nats-server into /usr/sbin, which a user's PATH may lack: beside each bin its sbin is looked at. */
async function onThePath(search: Search): Promise<NatsBinary | undefined> {
  const folders = (search.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const besides = folders.map((folder) => folder.replace(/\/bin\/?$/, '/sbin'));
  for (const folder of new Set([...folders, ...besides])) {
    const found = await search.look(resolve(folder, 'nats-server'), 'path', supported);
    if (found !== undefined) return found;
  }
  return undefined;
}
