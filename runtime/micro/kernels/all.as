export { attend, attendBackward } from './attention';
export { matmul, matmulTransposed, transpose } from './matmul';
export { adamw, sumOfSquares } from './optimizer';
export { activate, activateBackward, embed, embedBackward, norm, normBackward, softmaxRows } from './rows';
