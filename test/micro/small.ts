import { Engine } from '../../runtime/micro/engine.ts';
import { type Model, makeModel } from '../../runtime/micro/model.ts';
import type { Group } from '../../runtime/micro/pack.ts';
import { normal, stream } from '../../runtime/micro/rng.ts';
import { type Shape, tensors } from '../../runtime/micro/tensors.ts';
import { load, untrained, type Weights } from '../../runtime/micro/weights.ts';

export const smallShape: Shape = { width: 32, layers: 2 };

/** Small weights far enough from zero that every part of the model bends. */
export function smallWeights(seed: number, shape = smallShape): Weights {
  const rng = stream(seed, 77);
  const roughened = [...untrained(shape, stream(seed))].map(([name, tensor]) => {
    const data = tensor.data.map((value) => value + 0.05 * normal(rng));
    return [name, { ...tensor, data }] as const;
  });
  return new Map(roughened);
}

export function smallModel(seed: number): Model & { gradient: ReturnType<typeof tensors> } {
  const engine = new Engine();
  const model = makeModel(engine, load(engine, smallWeights(seed)));
  return { ...model, gradient: tensors(engine, smallShape) };
}

/** Groups of unequal sizes: several completions, one, and one that is only a boundary. */
export const groups: readonly Group[] = [
  { prompt: [0, 5, 6, 7, 30], completions: [[8, 9, 0], [7, 7, 7, 7, 0], [3]] },
  { prompt: [0, 50, 61, 30], completions: [[9, 8, 0]] },
  { prompt: [0, 95], completions: [[0], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]] },
];

export const words = ['abcd', 'hello', 'xyz', 'mnopqr'];

export function finish<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
