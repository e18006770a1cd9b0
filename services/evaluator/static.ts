import { parse, TomlError } from 'smol-toml';
import { nearest } from '#kit/nearest';
import type { Finding, FindingCode } from '#protocol/finding';
import { type Task, type Train, task, train, type WorkspaceFile, workspaceFiles } from '#protocol/workspace';
import type { SpecLimits } from './family.ts';
import { quote, type Table, validated } from './table.ts';

/** The files of a job, parsed. */
export interface JobFiles {
  readonly task: Task;
  readonly train: Train;
  /** The source of environment.js. */
  readonly environment: string;
}
export interface Wanted {
  /** The id that task.json must name. */
  readonly spec: string;
  readonly limits: SpecLimits;
}
export type Checked = { readonly job: JobFiles } | { readonly findings: readonly Finding[] };

/**
 * The first stage of validation: files, sizes, schema, limits. Reports all of its findings at once. It reads texts as a
 * pod does: encoding and decoding them would change lone surrogates and byte order marks.
 */
export function checkFiles(files: ReadonlyMap<string, string>, wanted: Wanted): Checked {
  const findings = [...filesAsTheyAre(files)];
  if (findings.length > 0) return { findings };
  const text = (file: WorkspaceFile): string => files.get(file) ?? '';
  const read = {
    task: validated(task, jsonOf(text('task.json'))),
    train: validated(train, tomlOf(text('train.toml'))),
  };
  if ('findings' in read.task || 'findings' in read.train)
    return { findings: [read.task, read.train].flatMap((one) => ('findings' in one ? one.findings : [])) };
  const job = { task: read.task.value, train: read.train.value, environment: text('environment.js') };
  const beyond = [...beyondLimits(job, wanted, { task: read.task.lineOf, train: read.train.lineOf })];
  return beyond.length > 0 ? { findings: beyond } : { job };
}

const found = (code: FindingCode, file: string, sentence: string): Finding => ({ code, file, line: null, sentence });

function* filesAsTheyAre(files: ReadonlyMap<string, string>): Iterable<Finding> {
  const names = Object.keys(workspaceFiles) as WorkspaceFile[];
  for (const name of names)
    if (workspaceFiles[name].required && !files.has(name))
      yield found('files/missing', name, `${name} is not there: a job has ${names.join(', ')}`);
  for (const [name, text] of files) {
    const known = names.find((one) => one === name);
    if (known) yield* fileAsItIs(known, text);
    else yield found('files/unknown', quote(name), `${quote(name)} is no file of a job; ${nearest(name, names)}`);
  }
}

function* fileAsItIs(name: WorkspaceFile, text: string): Iterable<Finding> {
  const { bytes: most } = workspaceFiles[name];
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > most) yield found('files/too-large', name, `${name} has ${bytes} bytes: it may have ${most}`);
  else if (!text.isWellFormed() || text.includes('\0'))
    yield found('files/not-text', name, `${name} is not UTF-8 text: save it as UTF-8`);
}

/** The line on which a key is set, in the usual notation; null if it is not found. */
const lineBy =
  (text: string, pattern: (key: string) => RegExp) =>
  (key: string): number | null => {
    const at = text.split('\n').findIndex((line) => pattern(key.replace(/[^\w-]/g, '.')).test(line));
    return at < 0 ? null : at + 1;
  };

function jsonOf(text: string): Table {
  const table = {
    file: 'task.json',
    stage: 'task',
    lineOf: lineBy(text, (key) => new RegExp(`"${key}"\\s*:`)),
  } as const;
  try {
    return { ...table, values: JSON.parse(text) };
  } catch (error) {
    const { message } = error as SyntaxError;
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    return { ...table, unreadable: message, line: text.slice(0, position).split('\n').length };
  }
}

function tomlOf(text: string): Table {
  const table = {
    file: 'train.toml',
    stage: 'train',
    lineOf: lineBy(text, (key) => new RegExp(`^\\s*"?${key}"?\\s*=`)),
  } as const;
  try {
    return { ...table, values: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.split('\n');
    return { ...table, unreadable: first, line: error.line };
  }
}

type LineOf = Record<'task' | 'train', (key: string) => number | null>;

function* beyondLimits({ task, train }: JobFiles, { spec, limits }: Wanted, lineOf: LineOf): Iterable<Finding> {
  const inTask = (code: FindingCode, key: keyof Task, allowed: string): Finding => ({
    ...found(code, 'task.json', `${key} is ${quote(task[key])}: ${allowed}`),
    line: lineOf.task(key),
  });
  if (!limits.baseModels.includes(task.baseModel))
    yield inTask('task/beyond-limits', 'baseModel', `this spec allows ${limits.baseModels.join(' or ')}`);
  if (task.spec !== spec) yield inTask('task/unfit-value', 'spec', `this job is for "${spec}"`);
  if (train.steps > limits.steps)
    yield {
      ...found(
        'train/beyond-limits',
        'train.toml',
        `steps is ${train.steps}: this spec allows at most ${limits.steps}`,
      ),
      line: lineOf.train('steps'),
    };
}
