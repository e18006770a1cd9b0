/** Sum of squares of x [floats], in float64. */
export function sumOfSquares(x: usize, floats: i32): f64 {
  let sum: f64 = 0;
  for (let at: usize = 0; at < <usize>floats * 4; at += 4) sum += <f64>f32.load(x + at) * <f64>f32.load(x + at);
  return sum;
}

/**
 * One AdamW step (Loshchilov & Hutter 2019) on w [floats], a multiple of 4. `hyper` holds eight f32: learning rate, beta1,
 * beta2, epsilon, weight decay, factor on the gradient, 1 / (1 - beta1^t), 1 / (1 - beta2^t).
 */
export function adamw(w: usize, grad: usize, mean: usize, square: usize, hyper: usize, floats: i32): void {
  const rate = v128.load32_splat(hyper), beta1 = v128.load32_splat(hyper, 4), beta2 = v128.load32_splat(hyper, 8);
  const epsilon = v128.load32_splat(hyper, 12), decay = v128.load32_splat(hyper, 16), factor = v128.load32_splat(hyper, 20);
  const fix1 = v128.load32_splat(hyper, 24), fix2 = v128.load32_splat(hyper, 28), one = f32x4.splat(1);
  for (let at: usize = 0; at < <usize>floats * 4; at += 16) {
    const g = f32x4.mul(v128.load(grad + at), factor), old = v128.load(w + at);
    const m = f32x4.add(f32x4.mul(beta1, v128.load(mean + at)), f32x4.mul(f32x4.sub(one, beta1), g));
    const v = f32x4.add(f32x4.mul(beta2, v128.load(square + at)), f32x4.mul(f32x4.sub(one, beta2), f32x4.mul(g, g)));
    v128.store(mean + at, m);
    v128.store(square + at, v);
    const move = f32x4.div(f32x4.mul(m, fix1), f32x4.add(f32x4.sqrt(f32x4.mul(v, fix2)), epsilon));
    v128.store(w + at, f32x4.sub(old, f32x4.mul(rate, f32x4.add(move, f32x4.mul(decay, old)))));
  }
}
