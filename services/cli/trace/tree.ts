import type { Said } from './story.ts';

/** A message in the tree of its episode. */
export interface Hop extends Said {
  /** Id of the message that it follows from; null: the episode begins with it, or nothing in the episode caused it. */
  readonly parent: string | null;
  /** It had to wait, for a pod: its cause belongs to another episode. */
  readonly waited: boolean;
  /** Since the first message of the episode, and since its parent; milliseconds. */
  readonly sinceStartMs: number;
  readonly hopMs: number;
}

/**
 * What follows from what. A message follows from its cause; if that belongs to another episode, whose end freed a pod,
 * it follows from the last message of this episode that its sender received.
 */
export function hopsOf(story: readonly Said[]): Hop[] {
  const [first] = story;
  const ids = new Map(story.map((one) => [one.id, one]));
  return story.map((one) => {
    const told = story.findLast(({ to, at }) => to === one.from && at < one.at);
    const caused = one.cause === null ? undefined : ids.get(one.cause);
    const isFirst = one === first || one.cause === first?.cause;
    const parent = isFirst ? undefined : (caused ?? told);
    return {
      ...one,
      parent: parent?.id ?? null,
      waited: parent !== undefined && !caused,
      sinceStartMs: one.at - (first?.at ?? one.at),
      hopMs: one.at - (parent?.at ?? one.at),
    };
  });
}

export interface Row {
  /** Drawn before the message, to show what it follows from. */
  readonly branch: string;
  readonly hop: Hop;
  /** Number of equal messages in succession that nothing follows from: they share one row. */
  readonly times: number;
}

/**
 * The tree from top to bottom. Of several messages that follow from one, the one with the longest story goes straight
 * on; the others branch off before it.
 */
export function rowsOf(hops: readonly Hop[]): Row[] {
  const children = new Map<string | null, Hop[]>();
  for (const hop of hops) children.set(hop.parent, [...(children.get(hop.parent) ?? []), hop]);
  const below = ({ id }: Hop): readonly Hop[] => children.get(id) ?? [];
  const rows: Row[] = [];
  const grow = (begin: Hop, { lead, rest }: { lead: string; rest: string }): void => {
    let branch = lead;
    for (let hop: Hop | undefined = begin; hop; branch = rest) {
      const after: readonly Hop[] = below(hop);
      add(rows, { branch, hop, times: 1 }, after.length === 0);
      const main: Hop | undefined = longest(after, below);
      for (const side of after) if (side !== main) grow(side, { lead: `${rest}├ `, rest: `${rest}│ ` });
      hop = main;
    }
  };
  for (const root of children.get(null) ?? []) grow(root, { lead: '', rest: '' });
  return rows;
}

function add(rows: Row[], row: Row, isLeaf: boolean): void {
  const last = rows.at(-1);
  const likeLast = ({ parent, name, to }: Hop): boolean =>
    last?.hop.parent === parent && last.hop.name === name && last.hop.to === to;
  if (last && isLeaf && likeLast(row.hop) && last.branch === row.branch)
    rows[rows.length - 1] = { ...last, times: last.times + 1 };
  else rows.push(row);
}

function longest(hops: readonly Hop[], below: (hop: Hop) => readonly Hop[]): Hop | undefined {
  const sizeOf = (hop: Hop): number => below(hop).reduce((sum, one) => sum + sizeOf(one), 1);
  const sizes = hops.map(sizeOf);
  return hops[sizes.lastIndexOf(Math.max(...sizes))];
}
