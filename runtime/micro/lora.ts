// What a run trains: all weights, or a low-rank adapter of every matrix (LoRA, Hu et al. 2021).
//
// An adapter is not an extra layer here: W = W0 + scale A^T B is written out before each step, and the gradient of W is
// turned into those of A and B. That is the same arithmetic, and the model needs not know.
import type { Block, Engine } from './engine.ts';
import { type Model, refresh } from './model.ts';
import { normal, type Rng } from './rng.ts';
import { matrices, type Tensors } from './tensors.ts';
import { collect, type Weights } from './weights.ts';

/** alpha / rank: with alpha = 2 rank, the usual choice, the adapter's scale does not change with its rank. */
const SCALE = 2;

/** One vector to optimize, with what keeps it and the model in step. */
export type Trainable = {
  values: Block;
  /** Gradient of `values`, from the gradient of the weights. */
  gradientOf(weights: Tensors): Block;
  /** Makes the model's weights follow `values`. */
  apply(): void;
  /** The adapter's tensors; none if all weights are trained. */
  adapter(): Weights | null;
};

export function trainAll(model: Model): Trainable {
  return {
    values: model.weights.all,
    gradientOf: ({ all }) => all,
    apply: () => refresh(model),
    adapter: () => null,
  };
}

// A is kept as [rank, in] and B as [rank, out], so that every product has a whole number of vectors to a row.
type Pair = { name: string; a: Block; b: Block; da: Block; db: Block; base: Block; layer: number; matrix: Matrix };
type Matrix = (typeof matrices)[number];
type Flat = { values: Block; gradient: Block };

export function trainAdapter(model: Model, rank: number, rng: Rng): Trainable {
  const { engine, weights } = model;
  const { pairs, values, gradient } = makePairs(model, rank);
  for (const { a } of pairs) {
    const data = engine.values(a); // B starts at zero, so the first policy is the base
    for (let i = 0; i < data.length; i++) data[i] = normal(rng) / Math.sqrt(a.columns);
  }
  return {
    values,
    gradientOf: (of) => {
      for (const pair of pairs) engine.scratch(() => pairGradient(engine, pair, matrixOf(of, pair)));
      return gradient;
    },
    apply: () => {
      for (const pair of pairs) engine.scratch(() => writeOut(engine, pair, matrixOf(weights, pair)));
      refresh(model);
    },
    adapter: () => collect(engine, pairs.flatMap(fileTensors)),
  };
}

const fileTensors = ({ name, a, b }: Pair): [string, Block][] => [
  [`${name}.lora_A`, a],
  [`${name}.lora_B`, b],
];

function makePairs({ engine, weights }: Model, rank: number): Flat & { pairs: Pair[] } {
  const all = weights.layers.flatMap((layer, i) => matrices.map((matrix) => ({ layer: i, matrix, at: layer[matrix] })));
  const floats = all.reduce((sum, { at }) => sum + rank * (at.rows + at.columns), 0);
  const [values, gradient] = [engine.zeros(1, floats), engine.zeros(1, floats)];
  let offset = 0;
  const part = (of: Block, columns: number): Block => ({ at: of.at + offset * 4, rows: rank, columns });
  const pairs = all.map(({ layer, matrix, at }) => {
    const [a, da] = [part(values, at.rows), part(gradient, at.rows)];
    offset += rank * at.rows;
    const [b, db] = [part(values, at.columns), part(gradient, at.columns)];
    offset += rank * at.columns;
    return { name: `layers.${layer}.${matrix}`, layer, matrix, a, b, da, db, base: engine.copy(at) };
  });
  return { pairs, values, gradient };
}

function matrixOf({ layers }: Tensors, { layer, matrix, name }: Pair): Block {
  const block = layers[layer]?.[matrix];
  if (!block) throw new Error(`the model has no ${name}`);
  return block;
}

// W = W0 + scale A^T B
function writeOut(engine: Engine, { a, b, base }: Pair, to: Block): void {
  const scaled = engine.copy(a);
  scale(engine, scaled);
  engine.values(to).set(engine.values(base));
  engine.multiplyTransposed({ a: scaled, b, out: to, add: true });
}

// dA = scale B dW^T and dB = scale A dW
function pairGradient(engine: Engine, { a, b, da, db }: Pair, dw: Block): void {
  const flipped = engine.block(dw.columns, dw.rows);
  engine.transpose(dw, flipped);
  engine.multiply({ a: b, b: flipped, out: da });
  engine.multiply({ a, b: dw, out: db });
  scale(engine, da);
  scale(engine, db);
}

function scale(engine: Engine, block: Block): void {
  const data = engine.values(block);
  for (let i = 0; i < data.length; i++) data[i] = (data[i] ?? 0) * SCALE;
}
