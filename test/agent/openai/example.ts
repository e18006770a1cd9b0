/** The worked example in a prompt: the text of each fenced block under the name of its file. */
export const exampleIn = (prompt: string): [string, string][] =>
  [...prompt.matchAll(/^`([a-z.]+)`\n\n```[a-z]+\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [name, text]);

export const filesOf = (example: readonly [string, string][]): Record<string, string> => Object.fromEntries(example);
