import { grouped, type RunData } from './run-data.ts';

/** How one choice of the agent was made over the run. */
export interface ChoicePoint {
  readonly point: string;
  readonly options: readonly {
    readonly name: string;
    /** Share of the choices in the first and in the last quarter of the run. */
    readonly first: number;
    readonly last: number;
  }[];
  /** All options are numbers, and stand in their order. */
  readonly ordered: boolean;
  readonly stretches: readonly Stretch[];
}

/** Versions of the policy that are shown together. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly choices: number;
  /** In the order of the options. */
  readonly shares: readonly number[];
}

interface Made {
  readonly version: number;
  readonly name: string;
}

const mostOptions = 6;
const mostStretches = 24;
const others = 'others';

/** What the agent chose while it was trained; what changed most comes first. */
export function choicesOf(data: RunData): ChoicePoint[] {
  const made = data.verdicts
    .filter(({ purpose }) => purpose === 'training')
    .flatMap(({ episode, policy }) =>
      (data.transcripts[episode]?.moves ?? []).flatMap(({ choices }) =>
        choices.map(({ point, options, chosen }) => ({ point, version: policy, name: options[chosen]?.name ?? '' })),
      ),
    );
  return [...grouped(made, ({ point }) => point)]
    .filter(([, all]) => new Set(all.map(({ name }) => name)).size > 1)
    .map(([point, all]) => choicePoint(point, all))
    .sort((a, b) => changeOf(b) - changeOf(a));
}

const changeOf = ({ options }: ChoicePoint): number =>
  options.reduce((sum, { first, last }) => sum + Math.abs(last - first), 0);

function choicePoint(point: string, made: readonly Made[]): ChoicePoint {
  const counts = countsOf(made);
  const ordered = [...counts.keys()].every((name) => name.trim() !== '' && Number.isFinite(Number(name)));
  const kept = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, mostOptions)
    .map(([name]) => name);
  if (ordered) kept.sort((a, b) => Number(a) - Number(b));
  const names = counts.size > kept.length ? [...kept, others] : kept;
  const sharesOf = (some: readonly Made[]): number[] => {
    const here = countsOf(some.map(({ version, name }) => ({ version, name: kept.includes(name) ? name : others })));
    return names.map((name) => (here.get(name) ?? 0) / Math.max(1, some.length));
  };
  const top = made.reduce((most, { version }) => Math.max(most, version), 0);
  const quarter = Math.ceil((top + 1) / 4);
  const first = sharesOf(made.filter(({ version }) => version < quarter));
  const last = sharesOf(made.filter(({ version }) => version > top - quarter));
  const options = names.map((name, at) => ({ name, first: first[at] ?? 0, last: last[at] ?? 0 }));
  return { point, options, ordered, stretches: stretchesOf(made, top, sharesOf) };
}

function countsOf(made: readonly Made[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of made) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function stretchesOf(made: readonly Made[], top: number, sharesOf: (some: readonly Made[]) => number[]): Stretch[] {
  const width = Math.ceil((top + 1) / mostStretches);
  return Array.from({ length: Math.ceil((top + 1) / width) }, (_, at) => {
    const [from, to] = [at * width, Math.min(top, (at + 1) * width - 1)];
    const here = made.filter(({ version }) => version >= from && version <= to);
    return { from, to, choices: here.length, shares: sharesOf(here) };
  });
}
