// The tools as a model is told of them. What they do is in ../tools.ts and ../move.ts.

/** A tool in the words of the chat completions API. */
export interface ToolSchema {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: {
      readonly type: 'object';
      readonly properties: { [name: string]: { readonly type: 'string'; readonly description: string } };
      readonly required: string[];
      readonly additionalProperties: false;
    };
  };
}

interface Tool {
  readonly says: string;
  /** Inputs by name; all are texts, and all are needed. */
  readonly takes: Readonly<Record<string, string>>;
}

const file = 'name of the file, as "train.toml"';

export const tools = {
  list_files: { says: 'Lists the files of the workspace and how long each is.', takes: {} },
  read_file: { says: 'Shows a file of the workspace.', takes: { file } },
  write_file: {
    says: 'Writes a whole file: a new one, or over one that is there.',
    takes: { file, text: 'all of its text' },
  },
  edit_file: {
    says: 'Replaces a text in a file by another. The old text must occur exactly once.',
    takes: { file, old: 'the text to be replaced, exactly as it stands in the file', new: 'what stands there instead' },
  },
  get_baseline_scores: { says: 'Shows the mean score of each untrained base model on this task.', takes: {} },
  search_experiments: {
    says: 'Shows what was tried on this kind of task in earlier episodes of this run, with its curve.',
    takes: {},
  },
  validate: {
    says: 'Has the files checked as a submission would be, and shows what was found. Costs nothing. Ends your answer.',
    takes: {},
  },
  run_experiment: {
    says:
      'Begins a training of the files as they are at this point, to see its curve and its score on some probe items. ' +
      'Several run at once: change the files and call it again in the same answer.',
    takes: {},
  },
  await_experiments: {
    says: 'Waits for the results of the experiments that are under way. Ends your answer.',
    takes: {},
  },
  submit: {
    says: 'Submits the files as the job that counts. If they are invalid, you are told why. Ends your answer.',
    takes: {},
  },
  finish: { says: 'Gives up without a valid job. Ends your answer.', takes: {} },
} as const satisfies Readonly<Record<string, Tool>>;

/** After one of these no other call of the same answer is made. */
export const endings: readonly string[] = ['validate', 'await_experiments', 'submit', 'finish'];

export const toolNamed = (name: string): Tool | undefined =>
  Object.entries(tools).find(([known]) => known === name)?.[1];
export const toolNames = Object.keys(tools);

export const schemas: readonly ToolSchema[] = Object.entries(tools).map(([name, tool]) => schemaOf(name, tool));

function schemaOf(name: string, { says, takes }: Tool): ToolSchema {
  const properties = Object.fromEntries(
    Object.entries(takes).map(([input, description]) => [input, { type: 'string', description } as const]),
  );
  const parameters = { type: 'object', properties, required: Object.keys(takes), additionalProperties: false } as const;
  return { type: 'function', function: { name, description: says, parameters } };
}
