// Attention over rows of [q | k | v]. A row's keys are two ranges of rows: its prompt, and its own completion
// so far. So the completions of one group share the rows of their prompt, in sampling and in training.
import { exp4, max4, sum4 } from './vector';

const HEAD: usize = 16; // floats per head: four vectors
const CONTEXT: usize = 64; // floats kept per row and head for its probabilities; also the most keys a row can have
const SCALE: f32 = 0.25; // 1 / sqrt(HEAD)
const scratch: usize = memory.data(256); // d loss / d probability of one row and head

@inline
function dot16(x: usize, y: usize): f32 {
  const near = f32x4.add(f32x4.mul(v128.load(x), v128.load(y)), f32x4.mul(v128.load(x, 16), v128.load(y, 16)));
  const far = f32x4.add(f32x4.mul(v128.load(x, 32), v128.load(y, 32)), f32x4.mul(v128.load(x, 48), v128.load(y, 48)));
  return sum4(f32x4.add(near, far));
}

@inline
function add16(to: usize, factor: f32, from: usize): void {
  const f = f32x4.splat(factor);
  v128.store(to, f32x4.add(v128.load(to), f32x4.mul(f, v128.load(from))));
  v128.store(to, f32x4.add(v128.load(to, 16), f32x4.mul(f, v128.load(from, 16))), 16);
  v128.store(to, f32x4.add(v128.load(to, 32), f32x4.mul(f, v128.load(from, 32))), 32);
  v128.store(to, f32x4.add(v128.load(to, 48), f32x4.mul(f, v128.load(from, 48))), 48);
}

// A span is four i32: the first and the end row of the prompt, the first and the end row of the completion.
@inline
function keys(span: usize): i32 {
  return i32.load(span, 4) - i32.load(span) + i32.load(span, 12) - i32.load(span, 8);
}

@inline
function keyRow(span: usize, j: i32): usize {
  const shared = i32.load(span, 4) - i32.load(span);
  return j < shared ? i32.load(span) + j : i32.load(span, 8) + j - shared;
}

// softmax of n scores in place; the slots up to the next multiple of four become 0.
function softmax(p: usize, n: i32): void {
  const end = p + <usize>((n + 3) & ~3) * 4;
  for (let at = p + <usize>n * 4; at < end; at += 4) f32.store(at, -1e30);
  let top = f32x4.splat(-1e30);
  for (let at = p; at < end; at += 16) top = f32x4.max(top, v128.load(at));
  const shift = f32x4.splat(max4(top));
  let sum = f32x4.splat(0);
  for (let at = p; at < end; at += 16) {
    const e = exp4(f32x4.sub(v128.load(at), shift));
    v128.store(at, e);
    sum = f32x4.add(sum, e);
  }
  // the filled slots hold e^-87, too little to change a float32 sum of at least 1
  const share = f32x4.splat(<f32>1 / sum4(sum));
  for (let at = p; at < end; at += 16) v128.store(at, f32x4.mul(v128.load(at), share));
}

/** out [rows, width] from q: the rows' own [q | k | v], kv: all [q | k | v] rows that the spans point into. */
export function attend(q: usize, kv: usize, spans: usize, probs: usize, out: usize, rows: i32, width: i32): void {
  const row = <usize>width * 12, heads = <usize>width / HEAD;
  for (let r: usize = 0; r < <usize>rows; r++) {
    const span = spans + r * 16, n = keys(span);
    for (let h: usize = 0; h < heads; h++) {
      const p = probs + (r * heads + h) * CONTEXT * 4, lane = h * HEAD * 4;
      const key = kv + <usize>width * 4 + lane, value = key + <usize>width * 4;
      const query = q + r * row + lane, to = out + r * <usize>width * 4 + lane;
      for (let j = 0; j < n; j++) f32.store(p + <usize>j * 4, dot16(query, key + keyRow(span, j) * row) * SCALE);
      softmax(p, n);
      memory.fill(to, 0, HEAD * 4);
      for (let j = 0; j < n; j++) add16(to, f32.load(p + <usize>j * 4), value + keyRow(span, j) * row);
    }
  }
}

/** Adds to dqkv [rows, 3 width], given dout [rows, width] and the probabilities that attend left. */
export function attendBackward(qkv: usize, spans: usize, probs: usize, dout: usize, dqkv: usize, rows: i32, width: i32): void {
  const row = <usize>width * 12, heads = <usize>width / HEAD, k = <usize>width * 4, v = <usize>width * 8;
  for (let r: usize = 0; r < <usize>rows; r++) {
    const span = spans + r * 16, n = keys(span);
    for (let h: usize = 0; h < heads; h++) {
      const p = probs + (r * heads + h) * CONTEXT * 4, lane = h * HEAD * 4;
      const grad = dout + r * <usize>width * 4 + lane, own = r * row + lane;
      let mean: f32 = 0;
      for (let j = 0; j < n; j++) {
        const at = keyRow(span, j) * row + lane, share = f32.load(p + <usize>j * 4);
        const d = dot16(grad, qkv + at + v);
        f32.store(scratch + <usize>j * 4, d);
        mean += share * d;
        add16(dqkv + at + v, share, grad);
      }
      for (let j = 0; j < n; j++) {
        const at = keyRow(span, j) * row + lane;
        const d = f32.load(p + <usize>j * 4) * (f32.load(scratch + <usize>j * 4) - mean) * SCALE;
        add16(dqkv + own, d, qkv + at + k);
        add16(dqkv + at + k, d, qkv + own);
      }
    }
  }
}
