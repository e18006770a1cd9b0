import type { Finding } from '#protocol/finding';
import type { Move } from '#protocol/transcript';
import type { Workspace } from '#protocol/workspace';
import type { Asked } from '../mind.ts';
import type { Chooser } from './chooser.ts';
import { isPoint, type Plan, type Point, pointNames, points, type View } from './points.ts';

/** The choices so far: the plan that is in the files, and every option tried at each point. */
interface Memory {
  readonly plan: Plan;
  readonly tried: ReadonlyMap<string, ReadonlySet<string>>;
}

export function remembered(moves: readonly Move[]): Memory {
  const chosen = moves
    .flatMap(({ choices }) => choices)
    .filter(({ point }) => isPoint(point))
    .map(({ point, options, chosen: at }): [string, string] => [point, options[at]?.name ?? '']);
  const tried = new Map<string, Set<string>>();
  for (const [point, name] of chosen) tried.set(point, (tried.get(point) ?? new Set()).add(name));
  // the first move that writes a job makes every choice
  return { plan: Object.fromEntries(chosen) as Plan, tried };
}

/** Chooses again at the points that the findings are about, among options that were not tried yet. */
export function repaired(memory: Memory, findings: readonly Finding[], at: { view: View; chooser: Chooser }): Plan {
  const redone = new Map<Point, string>();
  for (const finding of findings) {
    const point = blamed(suspects(finding), at.chooser);
    const tried = memory.tried.get(point);
    const options = points[point](at.view).filter(({ name }) => !tried?.has(name));
    if (options.length > 0 && !redone.has(point)) redone.set(point, at.chooser.choose(point, options));
  }
  return { ...memory.plan, ...Object.fromEntries(redone) };
}

/** The parts of a job that a finding may be about. */
function suspects({ code, file, sentence }: Finding): [Point, ...Point[]] {
  const [stage, what = ''] = code.split('/');
  if (file === 'task.json') return ['base'];
  if (file === 'train.toml') return what === 'unknown-key' ? ['spelling'] : [knob(sentence)];
  if (what.startsWith('prompts')) return ['prompts'];
  if (what.startsWith('reward-')) return ['reward'];
  return stage === 'red-team' ? ['reward', 'prompts', 'operation'] : ['reward', 'prompts'];
}

/** Sentences begin with the name of the knob that they are about. */
const knob = (sentence: string): Point => pointNames.find((point) => sentence.startsWith(`${point} `)) ?? 'batch';

function blamed(suspected: readonly [Point, ...Point[]], chooser: Chooser): Point {
  if (suspected.length === 1) return suspected[0];
  const options = suspected.map((name) => ({ name, prior: 0, features: { [`blame ${name}`]: 1 } }));
  const chosen = chooser.choose('blame', options);
  return suspected.find((point) => point === chosen) ?? suspected[0];
}

/**
 * The calls that turn files into what they should be: a single changed line is edited, otherwise the file is written
 * anew.
 */
export const changes = (before: Workspace, after: Workspace): Asked[] =>
  Object.entries(after)
    .filter(([file, text]) => before[file] !== text)
    .map(([file, text]) => change(file, before[file] ?? '', text));

function change(file: string, before: string, after: string): Asked {
  const [lines, wanted] = [before.split('\n'), after.split('\n')];
  const changed = lines.flatMap((line, at) => (line === wanted[at] ? [] : [at]));
  const [at = 0] = changed;
  const old = lines[at] ?? '';
  if (changed.length !== 1 || lines.length !== wanted.length || before.split(old).length !== 2)
    return { tool: 'write_file', input: { file, text: after } };
  return { tool: 'edit_file', input: { file, old, new: wanted[at] ?? '' } };
}
