// Everything that treats each row by itself: embedding, normalisation, activation, softmax. Widths are multiples of 4.
import { exp4, max4, sum4 } from './vector';

const EPSILON: f32 = 1e-5; // keeps a row of zeros finite

@inline
function dot(x: usize, y: usize, bytes: usize): f32 {
  let sum = f32x4.splat(0);
  for (let at: usize = 0; at < bytes; at += 16) sum = f32x4.add(sum, f32x4.mul(v128.load(x + at), v128.load(y + at)));
  return sum4(sum);
}

@inline
function addRow(to: usize, from: usize, bytes: usize): void {
  for (let at: usize = 0; at < bytes; at += 16) v128.store(to + at, f32x4.add(v128.load(to + at), v128.load(from + at)));
}

/** out [rows, width] = embedding[token] + position[place]; ids holds (token, place) as i32 pairs. */
export function embed(ids: usize, embedding: usize, position: usize, out: usize, rows: i32, width: i32): void {
  const bytes = <usize>width * 4;
  for (let r: usize = 0; r < <usize>rows; r++) {
    memory.copy(out + r * bytes, embedding + <usize>i32.load(ids + r * 8) * bytes, bytes);
    addRow(out + r * bytes, position + <usize>i32.load(ids + r * 8, 4) * bytes, bytes);
  }
}

/** Adds dout [rows, width] to the rows of both tables that embed read. */
export function embedBackward(ids: usize, dout: usize, dembedding: usize, dposition: usize, rows: i32, width: i32): void {
  const bytes = <usize>width * 4;
  for (let r: usize = 0; r < <usize>rows; r++) {
    addRow(dembedding + <usize>i32.load(ids + r * 8) * bytes, dout + r * bytes, bytes);
    addRow(dposition + <usize>i32.load(ids + r * 8, 4) * bytes, dout + r * bytes, bytes);
  }
}

/** RMS norm without a gain (the next matrix can hold it): out = x / rms(x); scales [rows] keeps 1 / rms. */
export function norm(x: usize, out: usize, scales: usize, rows: i32, width: i32): void {
  const bytes = <usize>width * 4;
  for (let r: usize = 0; r < <usize>rows; r++) {
    const from = x + r * bytes, scale = <f32>1 / sqrt<f32>(dot(from, from, bytes) / <f32>width + EPSILON);
    f32.store(scales + r * 4, scale);
    const s = f32x4.splat(scale);
    for (let at: usize = 0; at < bytes; at += 16) v128.store(out + r * bytes + at, f32x4.mul(v128.load(from + at), s));
  }
}

/** dx += (dout - out mean(out dout)) / rms, with out and scales as norm left them. */
export function normBackward(out: usize, scales: usize, dout: usize, dx: usize, rows: i32, width: i32): void {
  const bytes = <usize>width * 4;
  for (let r: usize = 0; r < <usize>rows; r++) {
    const y = out + r * bytes, dy = dout + r * bytes, to = dx + r * bytes;
    const mean = f32x4.splat(dot(y, dy, bytes) / <f32>width), s = f32x4.splat(f32.load(scales + r * 4));
    for (let at: usize = 0; at < bytes; at += 16) {
      const d = f32x4.mul(f32x4.sub(v128.load(dy + at), f32x4.mul(v128.load(y + at), mean)), s);
      v128.store(to + at, f32x4.add(v128.load(to + at), d));
    }
  }
}

/** Squared ReLU (Primer, So et al. 2021): as good as GELU here and two instructions. out = max(x, 0)^2. */
export function activate(x: usize, out: usize, floats: i32): void {
  for (let at: usize = 0; at < <usize>floats * 4; at += 16) {
    const y = f32x4.max(v128.load(x + at), f32x4.splat(0));
    v128.store(out + at, f32x4.mul(y, y));
  }
}

/** dout becomes d loss / d x in place: dout * 2 max(x, 0). */
export function activateBackward(x: usize, dout: usize, floats: i32): void {
  for (let at: usize = 0; at < <usize>floats * 4; at += 16) {
    const y = f32x4.max(v128.load(x + at), f32x4.splat(0));
    v128.store(dout + at, f32x4.mul(v128.load(dout + at), f32x4.add(y, y)));
  }
}

/** x [rows, width] becomes softmax(x * sharpness); stats [rows, 2] gets sum(e^(z - max)) and the mean of z - max. */
export function softmaxRows(x: usize, stats: usize, rows: i32, width: i32, sharpness: f32): void {
  const bytes = <usize>width * 4, s = f32x4.splat(sharpness);
  for (let r: usize = 0; r < <usize>rows; r++) {
    const row = x + r * bytes;
    let top = f32x4.splat(-1e30);
    for (let at: usize = 0; at < bytes; at += 16) top = f32x4.max(top, f32x4.mul(v128.load(row + at), s));
    const shift = f32x4.splat(max4(top));
    let sum = f32x4.splat(0), weighted = f32x4.splat(0);
    for (let at: usize = 0; at < bytes; at += 16) {
      const z = f32x4.sub(f32x4.mul(v128.load(row + at), s), shift), e = exp4(z);
      v128.store(row + at, e);
      sum = f32x4.add(sum, e);
      weighted = f32x4.add(weighted, f32x4.mul(e, z));
    }
    const total = sum4(sum), share = f32x4.splat(<f32>1 / total);
    for (let at: usize = 0; at < bytes; at += 16) v128.store(row + at, f32x4.mul(v128.load(row + at), share));
    f32.store(stats + r * 8, total);
    f32.store(stats + r * 8, sum4(weighted) / total, 4);
  }
}
