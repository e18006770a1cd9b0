/** The life of an entity: which phase may follow which. */
export interface Life<Phase extends string> {
  readonly name: string;
  readonly phases: Readonly<Record<Phase, readonly Phase[]>>;
  /** Returns `to`; throws if it may not follow `from`, which is a bug. */
  step(from: Phase, to: Phase): Phase;
  /** Whether no phase follows this one. */
  ended(phase: Phase): boolean;
}

type Table<T> = { readonly [Phase in keyof T]: readonly (keyof T & string)[] };

export function life<const T extends Table<T>>(name: string, phases: T): Life<keyof T & string> {
  return {
    name,
    phases,
    step(from, to) {
      if (phases[from].includes(to)) return to;
      throw new Error(`a ${name} cannot go from "${from}" to "${to}": after "${from}" comes ${list(phases[from])}`);
    },
    ended: (phase) => phases[phase].length === 0,
  };
}

const list = (phases: readonly string[]): string => phases.map((phase) => `"${phase}"`).join(' or ') || 'nothing';

/** The table as a Mermaid state diagram, for ARCHITECTURE.md. */
export const diagram = <Phase extends string>({ phases }: Life<Phase>): string =>
  [
    'stateDiagram-v2',
    ...Object.entries<readonly string[]>(phases).flatMap(([from, next]) => next.map((to) => `    ${from} --> ${to}`)),
  ].join('\n');
