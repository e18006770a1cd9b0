// The gradient of model.ts, by hand, in the reverse order of the forward pass.
import type { Block, Engine } from './engine.ts';
import type { LayerTrace, Model, Trace } from './model.ts';
import type { Layer, Tensors } from './tensors.ts';

type Slopes = { trace: Trace; dlogits: Block; heads: readonly number[] };

/** Adds to `gradient` what dlogits [heads, tokens], the slope of the loss at each logit, asks of every weight. */
export function backward(model: Model, gradient: Tensors, { trace, dlogits, heads }: Slopes): void {
  const { engine, weights, flipped } = model;
  const { normed, scales, picked, ids, spans } = trace;
  engine.multiplyTransposed({ a: dlogits, b: picked, out: gradient.embedding, add: true });
  const dnormed = engine.zeros(normed.rows, normed.columns);
  engine.place(engine.product(dlogits, weights.embedding), dnormed, heads);
  const dx = engine.zeros(normed.rows, normed.columns);
  engine.kernels.normBackward(normed.at, scales.at, dnormed.at, dx.at, dx.rows, dx.columns);
  for (let i = trace.layers.length - 1; i >= 0; i--) {
    const [kept, back, grad] = [trace.layers[i], flipped.layers[i], gradient.layers[i]];
    if (kept && back && grad) engine.scratch(() => layerBackward(engine, { kept, back, grad }, { dx, spans }));
  }
  const { embedding, position } = gradient;
  engine.kernels.embedBackward(ids.at, dx.at, embedding.at, position.at, dx.rows, dx.columns);
}

type Parts = { kept: LayerTrace; back: Layer; grad: Layer };

// dx arrives as the slope at the layer's output and leaves as the slope at its input.
function layerBackward(engine: Engine, parts: Parts, { dx, spans }: { dx: Block; spans: Block }): void {
  feedForwardBackward(engine, parts, dx);
  const { kept, back, grad } = parts;
  engine.multiplyTransposed({ a: kept.mixed, b: dx, out: grad.out, add: true });
  const dmixed = engine.product(dx, back.out);
  const dqkv = engine.zeros(kept.qkv.rows, kept.qkv.columns);
  const { rows, columns } = dmixed;
  engine.kernels.attendBackward(kept.qkv.at, spans.at, kept.probs.at, dmixed.at, dqkv.at, rows, columns);
  engine.multiplyTransposed({ a: kept.normed, b: dqkv, out: grad.qkv, add: true });
  const dnormed = engine.product(dqkv, back.qkv);
  engine.kernels.normBackward(kept.normed.at, kept.scales.at, dnormed.at, dx.at, rows, columns);
}

function feedForwardBackward(engine: Engine, { kept, back, grad }: Parts, dx: Block): void {
  engine.multiplyTransposed({ a: kept.active, b: dx, out: grad.down, add: true });
  const dup = engine.product(dx, back.down);
  engine.kernels.activateBackward(kept.up.at, dup.at, dup.rows * dup.columns);
  engine.multiplyTransposed({ a: kept.normed2, b: dup, out: grad.up, add: true });
  const dnormed = engine.product(dup, back.up);
  engine.kernels.normBackward(kept.normed2.at, kept.scales2.at, dnormed.at, dx.at, dx.rows, dx.columns);
}
