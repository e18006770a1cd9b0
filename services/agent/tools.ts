import type { ToolCall } from '#protocol/transcript';
import type { Workspace } from '#protocol/workspace';

/** The files after a tool, and what it answers. A tool never throws: it answers wrong use with a sentence. */
interface Used {
  readonly files: Workspace;
  readonly result: string;
}
type Input = ToolCall['input'];
type FileTool = (files: Workspace, input: Input) => Used;

/** More than any job needs; validation says what a job may have. */
const mostFiles = 16;
const mostCharacters = 2 ** 17;
const fileName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** The tools that need nothing but the files. */
export const fileTools = {
  list_files: withInput([], (files) => ({ files, result: listed(files) })),
  read_file: withInput(['file'], (files, { file = '' }) => {
    const text = textOf(files, file);
    return { files, result: text ?? absent(files, file) };
  }),
  write_file: withInput(['file', 'text'], (files, { file = '', text = '' }) => put(files, file, text)),
  edit_file: withInput(['file', 'old', 'new'], (files, { file = '', old = '', new: text = '' }) => {
    const before = textOf(files, file);
    if (before === undefined) return { files, result: absent(files, file) };
    const found = old === '' ? 0 : before.split(old).length - 1;
    if (found === 1) return put(files, file, before.split(old).join(text));
    const remedy = found === 0 ? 'read the file first' : 'give more of the text around it';
    return { files, result: `"${short(old)}" occurs ${found} times in ${file}, but must occur once: ${remedy}` };
  }),
} as const satisfies Partial<Record<ToolCall['tool'], FileTool>>;

export const isFileTool = (tool: string): tool is keyof typeof fileTools => Object.hasOwn(fileTools, tool);

/** Checks the input of a call before it reaches its tool. */
function withInput(names: readonly string[], use: FileTool): FileTool {
  return (files, input) => {
    const given = Object.keys(input);
    const missing = names.find((name) => !given.includes(name));
    const strange = given.find((name) => !names.includes(name));
    const takes = names.length > 0 ? names.join(', ') : 'nothing';
    if (missing !== undefined) return { files, result: `"${missing}" is missing: this tool takes ${takes}` };
    if (strange !== undefined)
      return { files, result: `"${short(strange)}" is not an input of this tool: it takes ${takes}` };
    return use(files, input);
  };
}

function put(files: Workspace, file: string, text: string): Used {
  const refused = refusal(files, file, text);
  if (refused) return { files, result: refused };
  return { files: { ...files, [file]: text }, result: `${file} has ${text.length} characters now` };
}

function refusal(files: Workspace, file: string, text: string): string | undefined {
  if (!fileName.test(file))
    return `"${short(file)}" is not a file name: use letters, digits, "_", "." and "-", at most 64 of them`;
  if (text.length > mostCharacters)
    return `${file} would have ${text.length} characters: ${mostCharacters} are the most`;
  if (!Object.hasOwn(files, file) && Object.keys(files).length >= mostFiles)
    return `there are ${mostFiles} files already, which is the most: ${listed(files)}`;
  return undefined;
}

const textOf = (files: Workspace, file: string): string | undefined =>
  Object.hasOwn(files, file) ? files[file] : undefined;

const absent = (files: Workspace, file: string): string => `there is no file "${short(file)}"; ${listed(files)}`;

const listed = (files: Workspace): string => {
  const names = Object.entries(files).map(([name, text]) => `${name} (${text.length} characters)`);
  return names.length > 0 ? `the files are ${names.join(', ')}` : 'there are no files yet';
};

const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);
