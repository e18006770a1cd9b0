import { randomInt } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { failureFromHeader, failureToHeader, open, pack, unpack } from '#kit/wire';
import { type FailureCode, failureCodes } from '#protocol/failure';
import { command, type Message, token } from '#protocol/message';

const anything = command('anything', {
  from: ['operator'],
  to: { agent: '{run}.main' },
  body: { run: token, value: z.unknown() },
}) as Message;
const schema = anything.schema;

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.oneof(fc.constant(null), fc.boolean(), fc.string({ unit: 'binary' })),
    // one zero only: MessagePack writes -0 as an integer
    fc.oneof(fc.maxSafeInteger(), fc.double()).map((number) => number + 0),
    fc.oneof(fc.int32Array(), fc.float32Array(), fc.float64Array(), fc.uint8Array(), fc.bigInt64Array()),
    fc.array(tie('value')),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      { noNullPrototype: true },
    ),
  ),
}));

/** As the client hands it over: not a Buffer. */
const packed = (body: unknown): Uint8Array => new Uint8Array(pack(body));

test('what is packed is unpacked the same, whatever it is', (t) => {
  fc.assert(
    fc.property(value, (one) => {
      t.deepEqual(unpack(packed(one)), one);
    }),
    { seed: 1, numRuns: 2_000 },
  );
});

test('a sample of 2,000 tokens costs no more than 1.05 times its bytes', (t) => {
  const tokens = Int32Array.from({ length: 2_000 }, () => randomInt(150_000));
  const logprobs = Float32Array.from({ length: 2_000 }, () => -randomInt(1_000) / 100);
  const mask = Uint8Array.from({ length: 2_000 }, () => randomInt(2));
  const sample = { run: 'r1', episode: 'e1', policy: 12, reward: 0.5, tokens, logprobs, mask };
  const bytes = tokens.byteLength + logprobs.byteLength + mask.byteLength;
  t.deepEqual(unpack(packed(sample)), sample);
  t.true(pack(sample).length <= 1.05 * bytes, `${pack(sample).length} bytes for ${bytes}`);
});

type Bytes = readonly number[];
const fits = { run: 'r1', value: 1 };

const cases: readonly (readonly [string, Uint8Array, number, FailureCode | null])[] = [
  ['a body that fits', packed(fits), schema, null],
  ['an older schema', packed(fits), schema - 1, null],
  ['a newer schema', packed(fits), schema + 1, 'bus/newer-schema'],
  ['a newer schema of nothing', new Uint8Array(), Number.POSITIVE_INFINITY, 'bus/newer-schema'],
  ['nothing', new Uint8Array(), schema, 'bus/empty-body'],
  ['a body cut short', packed(fits).subarray(0, -1), schema, 'bus/unreadable-body'],
  ['a body and a byte', Uint8Array.of(...packed(fits), 0xc0), schema, 'bus/unreadable-body'],
  ['a list', packed([fits]), schema, 'bus/unfit-body'],
  ['an unknown field', packed({ ...fits, more: 1 }), schema, 'bus/unfit-body'],
  ['a run that is no token', packed({ ...fits, run: 'a.b' }), schema, 'bus/unfit-body'],
];

for (const [what, data, of, code] of cases)
  test(`${what} is ${code ?? 'read'}`, (t) => {
    const opened = open(anything, { data, schema: of });
    if (code) t.like(opened, { failure: { code } });
    else t.deepEqual(opened, { body: fits });
  });

const readableCodes: readonly FailureCode[] = ['bus/unreadable-body', 'bus/unfit-body'];

/** Opens it, and sees that neither the next message nor the language itself has changed. */
function opens(data: Uint8Array, number = schema): void {
  const opened = open(anything, { data, schema: number });
  if ('failure' in opened) {
    const expected = number > schema ? ['bus/newer-schema'] : data.length === 0 ? ['bus/empty-body'] : readableCodes;
    if (!expected.includes(opened.failure.code)) throw new Error(`${opened.failure.code}: ${opened.failure.detail}`);
  } else if (number > schema) throw new Error('a newer schema was read');
  if (Object.keys(open(anything, { data: packed(fits), schema })).join() !== 'body')
    throw new Error('the next is not read');
  for (const name in {}) throw new Error(`every object now has "${name}"`);
}

test('opening never throws, whatever the bytes and the schema', (t) => {
  const seed = randomInt(2 ** 31);
  t.log(`random seed ${seed}`);
  const anyBytes = fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ max: 3 }), opens);
  const damaged = fc.tuple(value, fc.nat(), fc.uint8Array({ maxLength: 3 })).map(([one, at, bytes]) => {
    const data = packed({ run: 'r1', value: one });
    data.set(bytes.subarray(0, data.length), at % Math.max(1, data.length - bytes.length));
    return data;
  });
  fc.assert(anyBytes, { seed, numRuns: 3_000 });
  fc.assert(
    fc.property(damaged, (data) => opens(data)),
    { seed, numRuns: 3_000 },
  );
  t.pass();
});

test('opening never throws, whatever is made of the parts of MessagePack', (t) => {
  const seed = randomInt(2 ** 31);
  t.log(`random seed ${seed}`);
  const first = fc.nat(255).map((byte): Bytes => [byte]);
  const counted = fc.tuple(fc.integer({ min: 0xc4, max: 0xdf }), fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }));
  const types = fc.constantFrom(...Buffer.from('rtibepsxB'), 0x00, 0xff);
  const extension = fc.tuple(fc.constantFrom(0xd4, 0xd5, 0xd6, 0xd7, 0xd8), types).map((bytes): Bytes => bytes);
  const part = fc.oneof(
    first,
    counted.map(([byte, rest]): Bytes => [byte, ...rest]),
    extension,
    fc.constant<Bytes>([0xa9, ...Buffer.from('__proto__')]),
    fc.constant<Bytes>([0x82, 0xa3, ...Buffer.from('run'), 0xa1, 0x61, 0xa5, ...Buffer.from('value')]),
  );
  const made = fc.array(part, { maxLength: 40 }).map((parts) => Uint8Array.from(parts.flat()));
  fc.assert(
    fc.property(made, (data) => opens(data)),
    { seed, numRuns: 10_000 },
  );
  t.pass();
});

const uint32 = (number: number): Bytes => [number >>> 24, (number >> 16) & 255, (number >> 8) & 255, number & 255];
const bytes = (...parts: (Bytes | Uint8Array)[]): Uint8Array => Buffer.concat(parts.map((part) => Buffer.from(part)));
const megabyte = 2 ** 20;

/** Forty lists, each of twice the one before: written out, more than there is memory in the world. */
function doubled(): Uint8Array {
  let list = bytes([0x90]);
  for (let id = 1; id <= 40; id += 1) list = bytes([0x92, 0xd6, 0x69], uint32(id), list, [0xd6, 0x70], uint32(id));
  return bytes(list, [0x00]);
}

/** A hundred thousand values, each with a string of a megabyte that is kept behind them all. */
function bundled(): Uint8Array {
  const count = 100_000;
  const value = (nth: number): Bytes => [0xd6, 0x62, ...uint32((count - nth) * 7 + 2), 0xc0];
  const values = Array.from({ length: count }, (_, nth) => value(nth)).flat();
  return bytes([0xdd], uint32(count), values, [0xdb], uint32(megabyte), new Uint8Array(megabyte).fill(97), [0xa0]);
}

const hostile: Readonly<Record<string, Uint8Array>> = {
  'a million lists in one another': bytes(new Uint8Array(megabyte).fill(0x91), [0xc0]),
  'a million maps in one another': bytes(new Uint8Array(megabyte).fill(0x81)),
  'a list said to be of four billion': bytes([0xdd, 0xff, 0xff, 0xff, 0xff, 0x01]),
  'a map said to be of four billion': bytes([0xdf, 0xff, 0xff, 0xff, 0xff, 0xa1, 0x61]),
  'lists said to be long, in one another': bytes(...Array.from({ length: 60 }, () => [0xdd, 0x01, 0xff, 0xff, 0xff])),
  'a string said to be of four billion bytes': bytes([0xdb, 0xff, 0xff, 0xff, 0xff, 0x61]),
  'bytes said to be four billion': bytes([0xc6, 0xff, 0xff, 0xff, 0xff, 0x61]),
  'an array of numbers said to be of four billion': bytes([0xc9, 0xff, 0xff, 0xff, 0xff, 0x74, 0x05]),
  'an array of numbers cut in a number': bytes([0xc7, 0x04, 0x74, 0x05, 0x01, 0x02, 0x03]),
  'references that double forty times': doubled(),
  'strings kept elsewhere': bundled(),
  'a number of a megabyte': bytes([0xc9], uint32(megabyte), [0x42], new Uint8Array(megabyte).fill(0x7f), [0xc0]),
  'the definition of a record': bytes([0xd4, 0x72, 0x40, 0x91, 0xa1, 0x61, 0x01]),
  'a pattern to search with': bytes([0xd4, 0x78, 0x00, 0x92, 0xa6], Buffer.from('(a+)+$'), [0xa0]),
  'an error': bytes([0xd4, 0x65, 0x00, 0x92, 0xab], Buffer.from('constructor'), [0xa1, 0x61]),
  'a million empty lists': bytes([0xdd], uint32(megabyte), new Uint8Array(megabyte).fill(0x90)),
  'what begins no value': bytes([0xc1]),
};

for (const [what, data] of Object.entries(hostile))
  test(`${what}: refused at once`, (t) => {
    const started = performance.now();
    t.notThrows(() => opens(data));
    t.notThrows(() => opens(bytes([0x82, 0xa3], Buffer.from('run'), [0xa1, 0x61, 0xa5], Buffer.from('value'), data)));
    t.true(performance.now() - started < 10_000);
    const opened = open(anything, { data, schema });
    t.true('failure' in opened && readableCodes.includes(opened.failure.code));
  });

test('a key named __proto__ is a key like others', (t) => {
  const data = bytes([0x81, 0xa9], Buffer.from('__proto__'), packed({ polluted: true }));
  const read = unpack(data);
  t.is(Object.getPrototypeOf(read), Object.prototype);
  t.deepEqual(Object.values(Object(read)), [{ polluted: true }]);
  t.false('polluted' in {});
});

test('a failure travels in a header as it is, and what is none is read as none', (t) => {
  const codes = Object.keys(failureCodes) as FailureCode[];
  const failure = fc.record({ code: fc.constantFrom(...codes), detail: fc.string({ unit: 'binary' }) });
  fc.assert(fc.property(failure, (one) => void t.deepEqual(failureFromHeader(failureToHeader(one)), { ...one })));
  fc.assert(fc.property(fc.string(), (header) => failureFromHeader(header) === null));
  const split = failureToHeader({ code: 'edge/threw', detail: 'half a \ud83d' });
  t.regex(split, /^[\x20-\x7e]*$/);
  t.is(failureFromHeader(split)?.detail, 'half a \ud83d');
});
