import { pack, unpack } from '#kit/wire';
import { median, round } from './figures.ts';

const tokens = 2_000;

/** One sample as a learner needs it: token ids, log-probabilities, mask. */
const sample = {
  episode: 'r1-12-3',
  policy: 12,
  tokens: Int32Array.from({ length: tokens }, (_, n) => (n * 7919) % 150_000),
  logprobs: Float32Array.from({ length: tokens }, (_, n) => -Math.abs(Math.sin(n)) * 3),
  mask: Uint8Array.from({ length: tokens }, (_, n) => n % 2),
};
const rawBytes = tokens * (4 + 4 + 1);

const asArrays = { ...sample, tokens: [...sample.tokens], logprobs: [...sample.logprobs], mask: [...sample.mask] };

const calls = 100;
const rounds = 60;

/** Microseconds for one call. */
function microseconds(work: () => unknown): number {
  const began = performance.now();
  for (let n = 0; n < calls; n += 1) work();
  return ((performance.now() - began) / calls) * 1000;
}

/** All four in turn, so that a slow moment of the machine hits each; the first third warms them up and does not count. */
export function codec() {
  const [packed, json] = [pack(sample), JSON.stringify(asArrays)];
  const measured = Array.from({ length: rounds }, () => ({
    encode: microseconds(() => pack(sample)),
    jsonEncode: microseconds(() => JSON.stringify(asArrays)),
    decode: microseconds(() => unpack(packed)),
    jsonDecode: microseconds(() => JSON.parse(json)),
  })).slice(rounds / 3);
  const medianOf = (value: (us: (typeof measured)[number]) => number): number => round(median(measured.map(value)));
  return {
    tokens,
    bytesToRaw: round(packed.length / rawBytes),
    encodeMicroseconds: medianOf(({ encode }) => encode),
    decodeMicroseconds: medianOf(({ decode }) => decode),
    encodeTimesJson: medianOf(({ encode, jsonEncode }) => jsonEncode / encode),
    decodeTimesJson: medianOf(({ decode, jsonDecode }) => jsonDecode / decode),
  };
}
