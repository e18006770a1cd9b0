// One WebAssembly memory and the kernels over it. All numbers of a model live in that memory as blocks of float32
// rows; a run makes an engine of its own and drops it whole, so nothing has to be freed one by one.
//
// 2026-12-01: own kernels, not @jax-js/jax 0.1.25, by measurement on one core under Node 20 (where jax-js has neither
// threads nor fused multiply-add): its best matrix product runs at 28 GFLOP/s and those of this model's shapes at 15-20,
// a jitted gradient of this model (64 x 18 tokens) takes 90 ms = 7.9 GFLOP/s, and each new shape compiles for 1.2 s.
// These kernels run at 50 GFLOP/s in all those shapes, two thirds of it in a whole step, and compile nothing at run time.
import { readFileSync } from 'node:fs';

/** A matrix in the engine's memory, row by row; `at` is its byte offset. */
export type Block = { readonly at: number; readonly rows: number; readonly columns: number };

/** out [m, n] = a [m, k] b [k, n]; with `add` the product is added to out. */
export type Product = { readonly a: Block; readonly b: Block; readonly out: Block; readonly add?: boolean };

type Kernel = (...numbers: number[]) => number;
type KernelName =
  | 'activate'
  | 'activateBackward'
  | 'adamw'
  | 'attend'
  | 'attendBackward'
  | 'embed'
  | 'embedBackward'
  | 'matmul'
  | 'matmulTransposed'
  | 'norm'
  | 'normBackward'
  | 'softmaxRows'
  | 'sumOfSquares'
  | 'transpose';

const PAGE = 65_536; // bytes of a WebAssembly page; the first one holds the kernels' own constants
const ALIGNMENT = 16; // bytes of a vector

const compiled = new WebAssembly.Module(readFileSync(new URL('./kernels.wasm', import.meta.url)));

export class Engine {
  /** Floating-point operations of matrix products so far, for the bench. */
  flops = 0;
  readonly kernels: Record<KernelName, Kernel>;
  readonly #memory = new WebAssembly.Memory({ initial: 2 });
  #top = PAGE;

  constructor() {
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
    this.kernels = exports as Record<KernelName, Kernel>; // the test of the kernels' binary calls each by name
  }

  /** New block, its values undefined. */
  block(rows: number, columns: number): Block {
    const at = this.#top;
    this.#top = Math.ceil((at + rows * columns * 4) / ALIGNMENT) * ALIGNMENT;
    const missing = this.#top - this.#memory.buffer.byteLength;
    // growing copies nothing but detaches every view, hence `values` makes a new one each time
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE) + 64);
    return { at, rows, columns };
  }

  zeros(rows: number, columns: number): Block {
    const block = this.block(rows, columns);
    this.values(block).fill(0);
    return block;
  }

  /** New block with these tuples of `size` whole numbers, as int32. */
  integers(tuples: readonly (readonly number[])[], size: number): Block {
    const block = this.block(tuples.length, size);
    const view = new Int32Array(this.#memory.buffer, block.at, tuples.length * size);
    for (let i = 0; i < tuples.length; i++) view.set(tuples[i] ?? [], i * size);
    return block;
  }

  /** Runs `work` and forgets the blocks that it made. */
  scratch<T>(work: () => T): T {
    const mark = this.mark();
    try {
      return work();
    } finally {
      this.release(mark);
    }
  }

  /** Where the next block goes: blocks made after a mark are forgotten by its release. */
  mark(): number {
    return this.#top;
  }

  release(mark: number): void {
    this.#top = mark;
  }

  /** The values of a block, valid until the next block is made. */
  values({ at, rows, columns }: Block): Float32Array {
    return new Float32Array(this.#memory.buffer, at, rows * columns);
  }

  copy(from: Block): Block {
    const to = this.block(from.rows, from.columns);
    this.values(to).set(this.values(from));
    return to;
  }

  /** A new block of these rows of `from`. */
  pick(from: Block, rows: readonly number[]): Block {
    const to = this.block(rows.length, from.columns);
    const [source, target] = [this.values(from), this.values(to)];
    rows.forEach((row, i) => {
      target.set(source.subarray(row * from.columns, (row + 1) * from.columns), i * from.columns);
    });
    return to;
  }

  /** Writes the rows of `from` to these rows of `to`. */
  place(from: Block, to: Block, rows: readonly number[]): void {
    const [source, target] = [this.values(from), this.values(to)];
    rows.forEach((row, i) => {
      target.set(source.subarray(i * from.columns, (i + 1) * from.columns), row * to.columns);
    });
  }

  multiply({ a, b, out, add = false }: Product): void {
    this.#count(a.columns === b.rows && out.rows === a.rows, { a, b, out });
    this.kernels.matmul(a.at, b.at, out.at, a.rows, b.columns, a.columns, add ? 1 : 0);
  }

  /** As multiply, with the transpose of a. */
  multiplyTransposed({ a, b, out, add = false }: Product): void {
    this.#count(a.rows === b.rows && out.rows === a.columns, { a, b, out });
    this.kernels.matmulTransposed(a.at, b.at, out.at, a.columns, b.columns, a.rows, add ? 1 : 0);
  }

  product(a: Block, b: Block): Block {
    const out = this.block(a.rows, b.columns);
    this.multiply({ a, b, out });
    return out;
  }

  transpose(from: Block, to: Block): void {
    this.kernels.transpose(from.at, to.at, from.rows, from.columns);
  }

  #count(fits: boolean, { a, b, out }: Product): void {
    if (!fits || b.columns !== out.columns || b.columns % 8 > 0) {
      const shapes = [a, b, out].map(({ rows, columns }) => `${rows}x${columns}`);
      throw new Error(`no matrix product has the shapes ${shapes.join(', ')}`);
    }
    this.flops += 2 * a.rows * a.columns * out.columns;
  }
}
