// The shape of the model and its tensors, in one stretch of memory so that the optimizer sees one vector.
//
// Names and shapes ([in, out], so that rows @ matrix is the layer):
//   embedding [96, width] (also the output layer)    position [64, width]
//   layers.N.qkv [width, 3 width]   layers.N.out [width, width]
//   layers.N.up [width, 4 width]    layers.N.down [4 width, width]
import type { Block, Engine } from './engine.ts';
import { TOKENS } from './vocabulary.ts';

/** Tokens that a prompt and its completion may have together, the boundary before them included. */
export const CONTEXT = 64;
/** Floats per attention head: fixed by the kernel. */
export const HEAD = 16;

export type Shape = { readonly width: number; readonly layers: number };

/** The base models. micro-s has 62,976 parameters, micro-m 108,544. */
export const bases = {
  'micro-s': { width: 48, layers: 2 },
  'micro-m': { width: 64, layers: 2 },
} as const satisfies Record<string, Shape>;

export const matrices = ['qkv', 'out', 'up', 'down'] as const;
export type Layer = Record<(typeof matrices)[number], Block>;
export type Tensors = { all: Block; embedding: Block; position: Block; layers: Layer[] };

/** New zeros for every tensor of a model. */
export function tensors(engine: Engine, { width, layers }: Shape): Tensors {
  const all = engine.zeros(1, (TOKENS + CONTEXT) * width + layers * 12 * width * width);
  let at = all.at;
  const next = (rows: number, columns: number): Block => {
    const block = { at, rows, columns };
    at += rows * columns * 4;
    return block;
  };
  const layer = (): Layer => ({
    qkv: next(width, 3 * width),
    out: next(width, width),
    up: next(width, 4 * width),
    down: next(4 * width, width),
  });
  return {
    all,
    embedding: next(TOKENS, width),
    position: next(CONTEXT, width),
    layers: Array.from({ length: layers }, layer),
  };
}

/** The embedding and the positions as one vector: they lie side by side. */
export function tables({ embedding, position }: Tensors): Block {
  return { at: embedding.at, rows: 1, columns: (embedding.rows + position.rows) * embedding.columns };
}

/** Every tensor by its name in a file. */
export function named({ embedding, position, layers }: Tensors): [string, Block][] {
  const inner = layers.flatMap((layer, i) =>
    matrices.map((name): [string, Block] => [`layers.${i}.${name}`, layer[name]]),
  );
  return [['embedding', embedding], ['position', position], ...inner];
}
