// The safetensors format: 8 bytes little-endian length of the header, the header as JSON, then the tensors' bytes
// (https://github.com/huggingface/safetensors, "Format"). A file comes from outside, so nothing in it is trusted.
import { z } from 'zod';
import type { Tensor, Weights } from './weights.ts';

const PREFIX = 8; // bytes of the header's length
const MAX_HEADER = 100_000_000; // bytes, the limit of the reference implementation
const ALIGNMENT = 8; // the header is padded with spaces so that the tensors begin on a multiple of this

const whole = z.int().min(0);
const entry = z.strictObject({
  dtype: z.string(),
  shape: z.array(whole),
  data_offsets: z.tuple([whole, whole]),
});
const header = z.record(z.string(), z.unknown());
const metadata = z.record(z.string(), z.string());

type Entry = { name: string; shape: number[]; begin: number; end: number };

/** The bytes of a file with these tensors as F32, in the order of the map. */
export function writeSafetensors(weights: Weights): Uint8Array {
  let end = 0;
  const entries = [...weights].map(([name, { shape, data }]) => {
    const begin = end;
    end += data.byteLength;
    return [name, { dtype: 'F32', shape, data_offsets: [begin, end] }];
  });
  const text = JSON.stringify(Object.fromEntries(entries));
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / ALIGNMENT) * ALIGNMENT));
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeBigUInt64LE(BigInt(json.length));
  const bodies = [...weights.values()].map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  return Buffer.concat([prefix, json, ...bodies]);
}

/** The tensors of a file, by name. Throws a SafetensorsError that says what is wrong with it. */
export function readSafetensors(file: Uint8Array): Weights {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const { json, start } = readHeader(bytes);
  const body = bytes.subarray(start);
  const entries = Object.entries(json).flatMap(([name, value]) => readEntry(name, value));
  checkLayout(entries, body.length);
  return new Map(entries.map((at) => [at.name, tensorAt(body, at)]));
}

/** What a file says of itself, by name. Throws a SafetensorsError. */
export function metadataOf(file: Uint8Array): Record<string, string> {
  const { json } = readHeader(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  const { data, success } = metadata.safeParse(json.__metadata__ ?? {});
  if (!success) throw new SafetensorsError('__metadata__ is no map from text to text');
  return data;
}

export class SafetensorsError extends Error {
  override readonly name = 'SafetensorsError';
}

function readHeader(bytes: Buffer): { json: Record<string, unknown>; start: number } {
  if (bytes.length < PREFIX) throw new SafetensorsError(`a file of ${bytes.length} bytes has no header length`);
  const length = bytes.readBigUInt64LE();
  if (length > MAX_HEADER) throw new SafetensorsError(`a header of ${length} bytes is over the limit of ${MAX_HEADER}`);
  const start = PREFIX + Number(length);
  if (start > bytes.length) throw new SafetensorsError(`the file ends after ${bytes.length} of ${start} header bytes`);
  return { json: parse(bytes.toString('utf8', PREFIX, start)), start };
}

function parse(text: string): Record<string, unknown> {
  try {
    return header.parse(JSON.parse(text));
  } catch (cause) {
    throw new SafetensorsError(`the header is no JSON object: ${JSON.stringify(text.slice(0, 60))}`, { cause });
  }
}

function readEntry(name: string, value: unknown): Entry[] {
  if (name === '__metadata__') {
    if (!metadata.safeParse(value).success) throw new SafetensorsError('__metadata__ is no map from text to text');
    return [];
  }
  const { data, success } = entry.safeParse(value);
  if (!success) throw new SafetensorsError(`tensor ${JSON.stringify(name)} is described by ${JSON.stringify(value)}`);
  if (data.dtype !== 'F32') throw new SafetensorsError(`tensor ${JSON.stringify(name)} is ${data.dtype}, not F32`);
  const [begin, end] = data.data_offsets;
  const size = data.shape.reduce((product, axis) => product * axis, 4);
  if (end - begin !== size) {
    const shape = data.shape.join('x');
    throw new SafetensorsError(
      `tensor ${JSON.stringify(name)} of shape ${shape} has ${end - begin} bytes, not ${size}`,
    );
  }
  return [{ name, shape: data.shape, begin, end }];
}

// The format wants the tensors to cover the body without a gap or an overlap, so that no byte is unread or read twice.
function checkLayout(entries: readonly Entry[], length: number): void {
  let covered = 0;
  for (const { name, begin, end } of entries.toSorted((x, y) => x.begin - y.begin || x.end - y.end)) {
    if (begin !== covered) {
      const fault = begin < covered ? 'overlaps the one before it' : 'leaves a gap';
      throw new SafetensorsError(`tensor ${JSON.stringify(name)} at byte ${begin} ${fault}, which ends at ${covered}`);
    }
    covered = end;
  }
  if (covered !== length) throw new SafetensorsError(`the tensors have ${covered} bytes, the file holds ${length}`);
}

function tensorAt(body: Buffer, { shape, begin, end }: Entry): Tensor {
  const data = new Float32Array((end - begin) / 4);
  // a copy: the file's bytes need not be aligned to 4
  new Uint8Array(data.buffer).set(body.subarray(begin, end));
  return { shape, data };
}
