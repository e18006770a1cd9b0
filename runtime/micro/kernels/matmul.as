// Matrix product on WebAssembly SIMD. One tile serves every product of the model: `a` is read one
// element at a time at any stride (so it may be a transpose), `b` and `c` in vectors along their rows.
//
// 4 x 8 is the largest tile whose 8 sums, 2 columns of b and 4 elements of a stay in the 16 vector
// registers of x86-64: measured 50 GFLOP/s against 23 and 27 for 5 x 8 and 6 x 8. No fused
// multiply-add is used, so the bits are the same on every machine.

@inline
function put(c: usize, x: v128, y: v128, add: bool): void {
  v128.store(c, add ? f32x4.add(v128.load(c), x) : x);
  v128.store(c, add ? f32x4.add(v128.load(c, 16), y) : y, 16);
}

@inline
function mac(sum: v128, x: v128, y: v128): v128 {
  return f32x4.add(sum, f32x4.mul(x, y));
}

function tile4(a: usize, aRow: usize, aStep: usize, b: usize, bRow: usize, c: usize, cRow: usize, depth: i32, add: bool): void {
  let s00 = f32x4.splat(0), s01 = f32x4.splat(0), s10 = f32x4.splat(0), s11 = f32x4.splat(0);
  let s20 = f32x4.splat(0), s21 = f32x4.splat(0), s30 = f32x4.splat(0), s31 = f32x4.splat(0);
  for (let k = 0; k < depth; k++) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    const x0 = v128.load32_splat(a);
    s00 = mac(s00, x0, b0);
    s01 = mac(s01, x0, b1);
    const x1 = v128.load32_splat(a + aRow);
    s10 = mac(s10, x1, b0);
    s11 = mac(s11, x1, b1);
    const x2 = v128.load32_splat(a + 2 * aRow);
    s20 = mac(s20, x2, b0);
    s21 = mac(s21, x2, b1);
    const x3 = v128.load32_splat(a + 3 * aRow);
    s30 = mac(s30, x3, b0);
    s31 = mac(s31, x3, b1);
    a += aStep;
    b += bRow;
  }
  put(c, s00, s01, add);
  put(c + cRow, s10, s11, add);
  put(c + 2 * cRow, s20, s21, add);
  put(c + 3 * cRow, s30, s31, add);
}

// The rows left over: the same sums in the same order as tile4, so a row's bits do not depend on its neighbours.
function tile1(a: usize, aStep: usize, b: usize, bRow: usize, c: usize, depth: i32, add: bool): void {
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0);
  for (let k = 0; k < depth; k++) {
    const x = v128.load32_splat(a);
    s0 = mac(s0, x, v128.load(b));
    s1 = mac(s1, x, v128.load(b, 16));
    a += aStep;
    b += bRow;
  }
  put(c, s0, s1, add);
}

@inline
function product(a: usize, aRow: usize, aStep: usize, b: usize, c: usize, m: usize, n: usize, k: i32, add: bool): void {
  const row = n * 4;
  for (let j: usize = 0; j < row; j += 32) {
    let i: usize = 0;
    for (; i + 4 <= m; i += 4) tile4(a + i * aRow, aRow, aStep, b + j, row, c + i * row + j, row, k, add);
    for (; i < m; i++) tile1(a + i * aRow, aStep, b + j, row, c + i * row + j, k, add);
  }
}

/** c [m, n] = a [m, k] b [k, n], added to c if `add`; n is a multiple of 8. */
export function matmul(a: usize, b: usize, c: usize, m: i32, n: i32, k: i32, add: bool): void {
  product(a, <usize>k * 4, 4, b, c, m, n, k, add);
}

/** c [m, n] = transpose(a [k, m]) b [k, n], added to c if `add`; n is a multiple of 8. */
export function matmulTransposed(a: usize, b: usize, c: usize, m: i32, n: i32, k: i32, add: bool): void {
  product(a, 4, <usize>m * 4, b, c, m, n, k, add);
}

/** to [columns, rows] = transpose(from [rows, columns]). */
export function transpose(from: usize, to: usize, rows: i32, columns: i32): void {
  for (let c = 0; c < columns; c++) {
    for (let r = 0; r < rows; r++) f32.store(to + (c * rows + r) * 4, f32.load(from + (r * columns + c) * 4));
  }
}
