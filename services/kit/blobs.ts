import { createHash } from 'node:crypto';
import { blobStores } from '#protocol/route';
import { blobPartBytes, blobStream } from '#protocol/streams';
import type { Blobs } from './actor.ts';
import { Failed, tooLarge } from './boundary.ts';
import type { Bus } from './bus.ts';
import { pack, unpack } from './wire.ts';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Bytes under their own hash: parts, and a manifest at `blob.<store>.<hash>.all`, which is written last, so that a blob
 * with a manifest is complete. At most four parts are in flight at once.
 */
export const blobs = (bus: Bus): Blobs => ({
  async put(store, bytes) {
    const hash = hashOf(bytes);
    const stream = blobStream(store);
    checkSize(store, hash, bytes.length);
    if (await bus.last(stream, subjectOf(store, hash, 'all'))) return hash;
    const parts = Math.ceil(bytes.length / blobPartBytes);
    await inFours(parts, (part) => {
      const data = bytes.subarray(part * blobPartBytes, (part + 1) * blobPartBytes);
      return bus.publish(plain(subjectOf(store, hash, part), data));
    });
    await bus.publish(plain(subjectOf(store, hash, 'all'), pack({ bytes: bytes.length, parts })));
    return hash;
  },

  async get(store, hash) {
    const stream = blobStream(store);
    const manifest = await bus.last(stream, subjectOf(store, hash, 'all'));
    if (!manifest) throw new Failed('blob/missing', `${store}: no blob ${hash}`);
    const parts = partsOf(manifest.data);
    if (parts === undefined) throw new Failed('blob/corrupt', `${store}: the manifest of ${hash} is unreadable`);
    // the last part may be short
    checkSize(store, hash, (parts - 1) * blobPartBytes);
    const found = new Array<Uint8Array>(parts);
    await inFours(parts, async (part) => {
      const stored = await bus.last(stream, subjectOf(store, hash, part));
      if (!stored) throw new Failed('blob/missing', `${store}: blob ${hash} lacks part ${part} of ${parts}`);
      if (stored.data.length > blobPartBytes)
        throw new Failed('blob/corrupt', `${store}: part ${part} of ${hash} has ${stored.data.length} bytes`);
      found[part] = stored.data;
    });
    const bytes = Buffer.concat(found);
    const actual = hashOf(bytes);
    if (actual !== hash) throw new Failed('blob/corrupt', `${store}: asked for ${hash}, found ${actual}`);
    return bytes;
  },
});

const subjectOf = (store: string, hash: string, part: number | 'all'): string => `blob.${store}.${hash}.${part}`;

const plain = (subject: string, data: Uint8Array) => ({
  subject,
  id: `${subject}-${hashOf(data)}`,
  cause: null,
  schema: 0,
  due: null,
  failure: null,
  data,
});

/** Throws `bus/too-large` before a blob is read into memory, or written, that is larger than its store allows. */
function checkSize(store: string, hash: string, bytes: number): void {
  const most = blobStores.find(({ name }) => name === store)?.mostBytes ?? 0;
  if (bytes > most) throw tooLarge(`${store}: blob ${hash}`, bytes, most);
}

function partsOf(data: Uint8Array): number | undefined {
  try {
    const { parts } = Object(unpack(data));
    return Number.isInteger(parts) && parts >= 0 ? parts : undefined;
  } catch {
    return undefined;
  }
}

async function inFours(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}
