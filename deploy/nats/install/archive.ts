import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute } from './command.ts';
import type { Errand } from './wanted.ts';

const official = 'https://github.com/nats-io/nats-server/releases/download';

/** nats-server out of the official release archive. UPLIFT_NATS_ARCHIVE_URL names a mirror; the checksum stays. */
export async function fromArchive({ wanted: { release }, dir, env, onStep }: Errand): Promise<string> {
  const platform = thisPlatform();
  const pinned = release.sha256[platform];
  if (pinned === undefined) throw new Error(`no checksum of ${release.version} is pinned for "${platform}"`);
  const name = `nats-server-v${release.version}-${platform}`;
  const base = (env.UPLIFT_NATS_ARCHIVE_URL || official).replace(/\/$/, '');
  const url = `${base}/v${release.version}/${name}.tar.gz`;
  onStep(`fetching ${url}`);
  const archive = await download(url);
  const sum = createHash('sha256').update(archive).digest('hex');
  if (sum !== pinned) {
    throw new Error(
      `${url} has the sha256 ${sum}, but ${pinned} is pinned: ` +
        'it is another file than the release, or was altered on the way, and nothing of it was kept',
    );
  }
  await writeFile(join(dir, 'archive.tar.gz'), archive);
  await execute('tar', ['-xzf', 'archive.tar.gz'], { env, cwd: dir });
  return join(dir, name, 'nats-server');
}

/** As the release archives spell it. */
export function thisPlatform(): string {
  const spelled: Readonly<Record<string, string>> = { x64: 'amd64', arm: 'arm7' };
  return `${process.platform}-${spelled[process.arch] ?? process.arch}`;
}

async function download(url: string): Promise<Buffer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(180_000) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    throw new Error(`${url} could not be fetched: ${reason(error)}`, { cause: error });
  }
}

/** fetch says only "fetch failed"; what failed is in its cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}
