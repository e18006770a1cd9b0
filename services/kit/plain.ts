/**
 * Throws unless these bytes, which anyone may have written, are plain MessagePack: null, true, false, numbers, strings,
 * bytes, arrays, maps, and of the extensions only typed arrays and undefined. The decoder knows more extensions, with
 * references between values and shared strings, by which a few hundred bytes can keep it busy for hours. This check
 * takes time linear in the bytes, and memory linear in the depth.
 */
export function checkPlain(data: Uint8Array): void {
  const reader = new Reader(data);
  const outer: number[] = [];
  for (let left: number | undefined = 1; left !== undefined; ) {
    if (left === 0) {
      left = outer.pop();
      continue;
    }
    const inside = reader.value();
    left -= 1;
    if (inside === 0) continue;
    if (outer.push(left) > mostDeep) throw new Error(`more than ${mostDeep} deep at byte ${reader.at}`);
    left = inside;
  }
  if (reader.at < data.length) throw new Error(`${data.length - reader.at} bytes too many`);
}

const mostDeep = 64;
const undefinedType = 0x00;
const typedArrayType = 0x74;

class Reader {
  at = 0;
  readonly #data: Uint8Array;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  /** Skips a value, except for the values inside it; returns their number. */
  value(): number {
    const first = this.number(1);
    if (first < 0x80 || first >= 0xe0) return 0;
    if (first < 0x90) return 2 * (first - 0x80);
    if (first < 0xa0) return first - 0x90;
    if (first < 0xc0) return this.pass(first - 0xa0);
    const rest = kinds[first - 0xc0];
    if (rest) return rest(this);
    throw new Error(`0x${first.toString(16)} at byte ${this.at - 1} begins no value`);
  }

  number(bytes: number): number {
    const start = this.at;
    this.pass(bytes);
    let value = 0;
    for (let at = start; at < this.at; at += 1) value = value * 256 + (this.#data[at] ?? 0);
    return value;
  }

  pass(bytes: number): 0 {
    this.at += bytes;
    if (this.at > this.#data.length) throw new Error(`${this.at - this.#data.length} bytes too few`);
    return 0;
  }

  extension(bytes: number): 0 {
    const type = this.number(1);
    if (type === typedArrayType || (type === undefinedType && bytes === 1)) return this.pass(bytes);
    throw new Error(`an extension of type 0x${type.toString(16)} at byte ${this.at - 1}`);
  }
}

type Kind = (reader: Reader) => number;
const sized = (powers: readonly number[], kind: (bytes: number) => Kind): Kind[] => powers.map(kind);

const plain =
  (bytes: number): Kind =>
  (reader) =>
    reader.pass(bytes);
const counted =
  (bytes: number): Kind =>
  (reader) =>
    reader.pass(reader.number(bytes));
const extension =
  (bytes: number): Kind =>
  (reader) =>
    reader.extension(bytes);
const countedExtension =
  (bytes: number): Kind =>
  (reader) =>
    reader.extension(reader.number(bytes));
const array =
  (bytes: number): Kind =>
  (reader) =>
    reader.number(bytes);
const map =
  (bytes: number): Kind =>
  (reader) =>
    2 * reader.number(bytes);

/** The first bytes 0xc0 to 0xdf, in order. */
const kinds: readonly (Kind | undefined)[] = [
  plain(0), // null
  undefined,
  ...sized([0, 0], plain), // false, true
  ...sized([1, 2, 4], counted), // bytes
  ...sized([1, 2, 4], countedExtension),
  ...sized([4, 8, 1, 2, 4, 8, 1, 2, 4, 8], plain), // floats, positive numbers, any numbers
  ...sized([1, 2, 4, 8, 16], extension),
  ...sized([1, 2, 4], counted), // strings
  ...sized([2, 4], array),
  ...sized([2, 4], map),
];
