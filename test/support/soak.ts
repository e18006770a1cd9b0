/** `npm run soak`: the same guarantees, tried for longer and on more servers than a suite of three minutes has time for. */
export const soak = process.env.UPLIFT_TEST_SOAK !== undefined;
