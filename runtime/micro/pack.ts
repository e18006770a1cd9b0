// Packing: a group is one prompt and its completions. The prompt's rows are stored and computed once, and each
// completion attends to them and to itself, so 8 completions of a prompt cost one prompt, not 8. No padding.
import type { Block, Engine } from './engine.ts';
import { CONTEXT } from './tensors.ts';
import { BOUNDARY, encode } from './vocabulary.ts';

/** One prompt and its completions, as tokens. A prompt begins with the boundary. */
export type Group = { readonly prompt: readonly number[]; readonly completions: readonly (readonly number[])[] };

/** A row of the model's input. A span is two ranges of rows that it attends to: [first, end, first, end). */
export type Row = { token: number; place: number; span: readonly [number, number, number, number] };

/** The `at`-th token of one completion, predicted by `row` (an index into `heads`). */
export type Target = { group: number; completion: number; at: number; token: number; row: number };

/** What the model reads at once: all rows, the rows whose logits are wanted, and what they should predict. */
export type Packed = { rows: Row[]; heads: number[]; targets: Target[] };

export function pack(groups: readonly Group[]): Packed {
  const packed: Packed = { rows: [], heads: [], targets: [] };
  groups.forEach((group, i) => {
    const first = packed.rows.length;
    packed.rows.push(...promptRows(group.prompt, first));
    const head = packed.heads.push(packed.rows.length - 1) - 1;
    group.completions.forEach((_, completion) => {
      packCompletion(packed, { group, index: i, completion, first, head });
    });
  });
  return packed;
}

/** The rows of a prompt whose first row is number `first`. */
export function promptRows(prompt: readonly number[], first: number): Row[] {
  return prompt.map((token, place) => ({ token, place, span: [first, first + place + 1, 0, 0] }));
}

type Place = { group: Group; index: number; completion: number; first: number; head: number };

// A completion's last token predicts nothing, so it is no row; its first is predicted by the prompt's last row.
function packCompletion({ rows, heads, targets }: Packed, { group, index, completion, first, head }: Place): void {
  const { prompt, completions } = group;
  const tokens = completions[completion] ?? [];
  const start = rows.length;
  tokens.forEach((token, at) => {
    const row = at === 0 ? head : heads.push(rows.length - 1) - 1;
    targets.push({ group: index, completion, at, token, row });
    if (at === tokens.length - 1) return;
    rows.push({
      token,
      place: prompt.length + at,
      span: [first, first + prompt.length, start, rows.length + 1],
    });
  });
}

/** (token, place) pairs of the rows, for the embedding. */
export function placeIds(engine: Engine, rows: readonly Row[]): Block {
  return engine.integers(
    rows.map(({ token, place }) => [token, place]),
    2,
  );
}

export function placeSpans(engine: Engine, rows: readonly Row[]): Block {
  return engine.integers(
    rows.map(({ span }) => span),
    4,
  );
}

/** A prompt as the model reads it, from the boundary on. */
export function promptTokens(text: string): number[] {
  const tokens = [BOUNDARY, ...encode(text)];
  if (tokens.length > CONTEXT) {
    throw new RangeError(`a prompt has at most ${CONTEXT - 1} characters; ${JSON.stringify(text)} has ${text.length}`);
  }
  return tokens;
}

/** Cuts groups into runs of about `rows` rows, so that the activations of a run stay in the processor's cache. */
export function chunks<G extends Group>(groups: readonly G[], rows: number): G[][] {
  const result: G[][] = [];
  let room = 0;
  for (const group of groups) {
    if (room <= 0) {
      result.push([]);
      room = rows;
    }
    result.at(-1)?.push(group);
    room -= group.prompt.length + group.completions.flat().length;
  }
  return result;
}
