import type { Block, Engine } from './engine.ts';
import { normal, type Rng } from './rng.ts';
import { CONTEXT, HEAD, named, type Shape, type Tensors, tensors } from './tensors.ts';
import { TOKENS } from './vocabulary.ts';

/** A tensor outside of any engine: `data` holds the product of `shape` values, the last axis running fastest. */
export type Tensor = { readonly shape: readonly number[]; readonly data: Float32Array };
/** Tensors by name, as in a safetensors file. */
export type Weights = ReadonlyMap<string, Tensor>;

/** The shape of the model that these weights are of; throws if they are of none. */
export function shapeOf(weights: Weights): Shape {
  const width = weights.get('embedding')?.shape[1] ?? 0;
  const layers = [...weights.keys()].filter((name) => name.endsWith('.qkv')).length;
  if (width === 0 || width % HEAD > 0) throw new Error(`a model's width is a multiple of ${HEAD}, not ${width}`);
  return { width, layers };
}

/** New tensors in the engine with these weights. */
export function load(engine: Engine, weights: Weights): Tensors {
  const result = tensors(engine, shapeOf(weights));
  for (const [name, block] of named(result)) {
    engine.values(block).set(expect(weights, name, [block.rows, block.columns]));
  }
  return result;
}

/** The data of a named tensor that must have this shape. */
function expect(weights: Weights, name: string, shape: readonly number[]): Float32Array {
  const tensor = weights.get(name);
  if (!tensor) throw new Error(`the weights have no tensor ${name}`);
  if (tensor.shape.join() !== shape.join()) {
    throw new Error(`tensor ${name} has the shape ${tensor.shape.join('x')}, not ${shape.join('x')}`);
  }
  return tensor.data;
}

/** A copy of the tensors that outlives the engine. */
export function unload(engine: Engine, from: Tensors): Weights {
  return collect(engine, named(from));
}

export function collect(engine: Engine, blocks: readonly [string, Block][]): Weights {
  return new Map(
    blocks.map(([name, block]) => [name, { shape: [block.rows, block.columns], data: engine.values(block).slice() }]),
  );
}

/**
 * Untrained weights. Standard deviations: 0.02 for the tables (GPT-2), 1 / sqrt(in) for a matrix that reads a normed
 * row, and that over sqrt(2 layers) for one that writes to the residual (GPT-2, section 2.3).
 */
export function untrained({ width, layers }: Shape, rng: Rng): Weights {
  const tensor = (rows: number, columns: number, deviation: number): Tensor => ({
    shape: [rows, columns],
    data: Float32Array.from({ length: rows * columns }, () => normal(rng) * deviation),
  });
  const write = 1 / Math.sqrt(2 * layers);
  const layer = (i: number): [string, Tensor][] => [
    [`layers.${i}.qkv`, tensor(width, 3 * width, width ** -0.5)],
    [`layers.${i}.out`, tensor(width, width, write * width ** -0.5)],
    [`layers.${i}.up`, tensor(width, 4 * width, width ** -0.5)],
    [`layers.${i}.down`, tensor(4 * width, width, write * (4 * width) ** -0.5)],
  ];
  return new Map([
    ['embedding', tensor(TOKENS, width, 0.02)],
    ['position', tensor(CONTEXT, width, 0.02)],
    ...Array.from({ length: layers }, (_, i) => layer(i)).flat(),
  ]);
}
