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

/** Microseconds for one call, the median of rounds. */
function microseconds(work: () => unknown): number {
  const rounds = Array.from({ length: 40 }, () => {
    const began = performance.now();
    for (let n = 0; n < 200; n += 1) work();
    return ((performance.now() - began) / 200) * 1000;
  });
  return median(rounds);
}

export function codec() {
  const [packed, json] = [pack(sample), JSON.stringify(asArrays)];
  const us = {
    encode: microseconds(() => pack(sample)),
    decode: microseconds(() => unpack(packed)),
    jsonEncode: microseconds(() => JSON.stringify(asArrays)),
    jsonDecode: microseconds(() => JSON.parse(json)),
  };
  return {
    tokens,
    bytesToRaw: round(packed.length / rawBytes),
    encodeMicroseconds: round(us.encode),
    decodeMicroseconds: round(us.decode),
    encodeTimesJson: round(us.jsonEncode / us.encode),
    decodeTimesJson: round(us.jsonDecode / us.decode),
    encodeAndDecodeTimesJson: round((us.jsonEncode + us.jsonDecode) / (us.encode + us.decode)),
  };
}
