import { execute } from './command.ts';

/** A nats-server program that was run once and answered with its version. */
export type NatsBinary = {
  path: string;
  version: string;
  how: 'path' | 'kept' | 'apt' | 'archive' | 'go' | 'docker';
};

/** Which versions will do: `least` and newer, and older than `below` where that is given. */
export type Versions = { least: string; below?: string };

/** 2.9.10 is what Debian bookworm has, and the oldest server the kit is tested on. */
export const supported: Versions = { least: '2.9.10' };

export class NatsServerTooOld extends Error {
  override readonly name = 'NatsServerTooOld';
  constructor(found: NatsBinary, least: string) {
    super(
      `nats-server ${found.version} at ${found.path} is too old, ${least} or newer is needed: ` +
        'update it, or let Uplift fetch its own',
    );
  }
}

/** Asks the program at `path` for its version, and refuses one outside `versions`. */
export async function readNatsServer(
  path: string,
  how: NatsBinary['how'],
  versions: Versions = supported,
): Promise<NatsBinary> {
  const answer = await execute(path, ['--version'], { env: process.env, timeoutMs: 10_000 });
  const version = /\bv?(\d+\.\d+\.\d+)/.exec(answer)?.[1];
  if (version === undefined) {
    throw new Error(`"${path} --version" answered "${answer.trim()}", which names no version: is it a nats-server?`);
  }
  const found: NatsBinary = { path, version, how };
  if (isOlder(version, versions.least)) throw new NatsServerTooOld(found, versions.least);
  if (versions.below !== undefined && !isOlder(version, versions.below)) {
    throw new Error(`nats-server ${version} at ${path} is too new, one older than ${versions.below} is wanted`);
  }
  return found;
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}
