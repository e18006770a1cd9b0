// A decoder-only transformer: learned positions, pre-norm, squared ReLU, tied output. Forward here, its gradient in
// backward.ts; the two are read side by side.
import type { Block, Engine } from './engine.ts';
import { type Packed, placeIds, placeSpans } from './pack.ts';
import { CONTEXT, HEAD, type Layer, matrices, type Tensors, tensors } from './tensors.ts';

/** Weights in an engine, and the transposes of its matrices, which the gradient and the output layer multiply by. */
export type Model = { engine: Engine; weights: Tensors; flipped: Tensors };

/** What a layer keeps for its gradient, each [rows, …]; `probs` [rows, heads x 64]. */
export type LayerTrace = {
  normed: Block;
  scales: Block;
  qkv: Block;
  probs: Block;
  mixed: Block;
  normed2: Block;
  scales2: Block;
  up: Block;
  active: Block;
};

export type Trace = {
  ids: Block;
  spans: Block;
  layers: LayerTrace[];
  normed: Block;
  scales: Block;
  picked: Block;
  logits: Block;
};

export function makeModel(engine: Engine, weights: Tensors): Model {
  const shape = { width: weights.embedding.columns, layers: weights.layers.length };
  const flat = tensors(engine, shape);
  const model = { engine, weights, flipped: { ...flat, ...turned(flat) } };
  refresh(model);
  return model;
}

const turn = ({ at, rows, columns }: Block): Block => ({ at, rows: columns, columns: rows });

function turned({ embedding, layers }: Tensors): Pick<Tensors, 'embedding' | 'layers'> {
  const layer = ({ qkv, out, up, down }: Layer) => ({ qkv: turn(qkv), out: turn(out), up: turn(up), down: turn(down) });
  return { embedding: turn(embedding), layers: layers.map(layer) };
}

/** Makes the transposes follow the weights; called after every change of them. */
export function refresh({ engine, weights, flipped }: Model): void {
  engine.transpose(weights.embedding, flipped.embedding);
  weights.layers.forEach((layer, i) => {
    const other = flipped.layers[i];
    if (other) for (const name of matrices) engine.transpose(layer[name], other[name]);
  });
}

/** Normed copy of x [rows, width], and 1 / rms of each row. */
export function normed(engine: Engine, x: Block): { out: Block; scales: Block } {
  const out = engine.block(x.rows, x.columns);
  const scales = engine.block(x.rows, 1);
  engine.kernels.norm(x.at, out.at, scales.at, x.rows, x.columns);
  return { out, scales };
}

/** x [rows, width] of the rows' tokens and places. */
export function embedded({ engine, weights }: Model, ids: Block): Block {
  const { embedding, position } = weights;
  const x = engine.block(ids.rows, embedding.columns);
  engine.kernels.embed(ids.at, embedding.at, position.at, x.at, x.rows, x.columns);
  return x;
}

export type Attention = { query: Block; keys: Block; spans: Block };

/** Mixed values [rows, width] for query [rows, 3 width] over all rows of `keys`, and the probabilities used. */
export function attended(engine: Engine, { query, keys, spans }: Attention): { mixed: Block; probs: Block } {
  const { rows } = query;
  const width = query.columns / 3;
  const mixed = engine.block(rows, width);
  const probs = engine.block(rows, (width / HEAD) * CONTEXT);
  engine.kernels.attend(query.at, keys.at, spans.at, probs.at, mixed.at, rows, width);
  return { mixed, probs };
}

/** Adds the second half of a layer to x in place: norm, up, squared ReLU, down. */
export function feedForward(engine: Engine, layer: Layer, x: Block) {
  const { out: normed2, scales: scales2 } = normed(engine, x);
  const up = engine.product(normed2, layer.up);
  const active = engine.block(up.rows, up.columns);
  engine.kernels.activate(up.at, active.at, up.rows * up.columns);
  engine.multiply({ a: active, b: layer.down, out: x, add: true });
  return { normed2, scales2, up, active };
}

function runLayer(engine: Engine, layer: Layer, { x, spans }: { x: Block; spans: Block }): LayerTrace {
  const { out, scales } = normed(engine, x);
  const qkv = engine.product(out, layer.qkv);
  const { mixed, probs } = attended(engine, { query: qkv, keys: qkv, spans });
  engine.multiply({ a: mixed, b: layer.out, out: x, add: true });
  return { normed: out, scales, qkv, probs, mixed, ...feedForward(engine, layer, x) };
}

/** Runs packed rows through the model; `logits` are [heads, tokens] in the order of `packed.heads`. */
export function forward(model: Model, packed: Packed): Trace {
  const { engine, weights, flipped } = model;
  const ids = placeIds(engine, packed.rows);
  const spans = placeSpans(engine, packed.rows);
  const x = embedded(model, ids);
  const layers = weights.layers.map((layer) => runLayer(engine, layer, { x, spans }));
  const { out, scales } = normed(engine, x);
  const picked = engine.pick(out, packed.heads);
  return { ids, spans, layers, normed: out, scales, picked, logits: engine.product(picked, flipped.embedding) };
}
