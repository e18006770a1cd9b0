import test from 'ava';
import { Engine } from '../../runtime/micro/engine.ts';
import { readSafetensors, SafetensorsError, writeSafetensors } from '../../runtime/micro/safetensors.ts';
import { load, unload, type Weights } from '../../runtime/micro/weights.ts';
import { smallWeights } from './small.ts';

/** A file with this header and this many bytes after it. */
function file(header: unknown, body: number, length?: bigint): Uint8Array {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(length ?? BigInt(json.length));
  return Buffer.concat([prefix, json, Buffer.alloc(body)]);
}

const f32 = (shape: number[], begin: number, end: number) => ({ dtype: 'F32', shape, data_offsets: [begin, end] });

test('weights come back from a file with the same bits, also through an engine', (t) => {
  const weights = smallWeights(1);
  const engine = new Engine();
  const back = readSafetensors(writeSafetensors(unload(engine, load(engine, weights))));
  t.deepEqual(back, weights);
  // an odd offset into a larger buffer, as a file read from a stream may have
  const bytes = Buffer.concat([Buffer.alloc(3), writeSafetensors(weights)]).subarray(3);
  t.deepEqual(readSafetensors(bytes), weights);
});

test('special values and empty tensors survive', (t) => {
  const weights: Weights = new Map([
    ['special', { shape: [2, 2], data: Float32Array.of(Number.NaN, Number.NEGATIVE_INFINITY, -0, 1e-45) }],
    ['empty', { shape: [0, 4], data: new Float32Array(0) }],
    ['scalar', { shape: [], data: Float32Array.of(7) }],
  ]);
  t.deepEqual(readSafetensors(writeSafetensors(weights)), weights);
});

test('metadata is read over', (t) => {
  t.is(readSafetensors(file({ __metadata__: { format: 'pt' }, a: f32([1], 0, 4) }, 4)).size, 1);
});

const hostile: [name: string, bytes: Uint8Array, says: RegExp][] = [
  ['nothing', new Uint8Array(0), /a file of 0 bytes has no header length/],
  ['a cut length', new Uint8Array(5), /a file of 5 bytes/],
  ['a cut header', file('{"a"', 0, 100n), /ends after 12 of 108 header bytes/],
  ['a huge header', file('{}', 0, 2n ** 63n), /a header of 9223372036854775808 bytes is over the limit/],
  ['no JSON', file('{]', 0), /the header is no JSON object: "\{\]"/],
  ['no object', file('[1]', 0), /the header is no JSON object/],
  ['a cut body', file({ a: f32([4], 0, 16) }, 15), /the tensors have 16 bytes, the file holds 15/],
  ['bytes left over', file({ a: f32([1], 0, 4) }, 8), /the tensors have 4 bytes, the file holds 8/],
  ['an overlap', file({ a: f32([2], 0, 8), b: f32([2], 4, 12) }, 12), /"b" at byte 4 overlaps/],
  ['a tensor twice', file({ a: f32([1], 0, 4), b: f32([1], 0, 4) }, 4), /"b" at byte 0 overlaps/],
  ['a gap', file({ a: f32([1], 0, 4), b: f32([1], 8, 12) }, 12), /"b" at byte 8 leaves a gap/],
  ['another dtype', file({ a: { ...f32([2], 0, 4), dtype: 'F16' } }, 4), /tensor "a" is F16, not F32/],
  ['a wrong size', file({ a: f32([3], 0, 8) }, 8), /of shape 3 has 8 bytes, not 12/],
  ['a negative offset', file({ a: f32([1], -4, 0) }, 4), /tensor "a" is described by/],
  ['an endless shape', file({ a: f32([2 ** 40, 2 ** 40], 0, 8) }, 8), /has 8 bytes, not/],
  ['no shape', file({ a: { dtype: 'F32', data_offsets: [0, 4] } }, 4), /tensor "a" is described by/],
  ['odd metadata', file({ __metadata__: { a: 1 } }, 0), /__metadata__ is no map/],
];

for (const [name, bytes, says] of hostile) {
  test(`a file with ${name} is refused with a sentence`, (t) => {
    t.throws(() => readSafetensors(bytes), { instanceOf: SafetensorsError, message: says });
  });
}

test('a file of another model is refused', (t) => {
  const engine = new Engine();
  const weights = new Map(smallWeights(1));
  weights.delete('position');
  t.throws(() => load(engine, weights), { message: 'the weights have no tensor position' });
  t.throws(() => load(engine, new Map()), { message: /width is a multiple of 16, not 0/ });
  weights.set('position', { shape: [8, 32], data: new Float32Array(256) });
  t.throws(() => load(engine, weights), { message: 'tensor position has the shape 8x32, not 64x32' });
});
