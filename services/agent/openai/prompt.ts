// The system prompt: Markdown files in prompts/, with figures taken from the code that they are about.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { PublicSpec } from '#protocol/run';
import { experimentsAllowed } from '#protocol/transcript';
import { train, workspaceFiles } from '#protocol/workspace';
import { defaultLimits } from '#runtime/environment/limits';
import type { Moment } from '../mind.ts';
import { tools } from './tools.ts';

/** One for each runtime. */
export const runtimes = ['micro'] as const;

const files = new Map<string, Promise<string>>();

/** The prompt for jobs of a runtime; `calls`: how tools are called. */
export async function systemPrompt(
  calls: 'native' | 'text',
  runtime: (typeof runtimes)[number] = 'micro',
): Promise<string> {
  const about = await filled(runtime);
  return calls === 'native' ? about : `${about}\n${await filled('text-calls')}`;
}

function filled(name: string): Promise<string> {
  const there = files.get(name) ?? readFile(new URL(`./prompts/${name}.md`, import.meta.url), 'utf8').then(fill);
  files.set(name, there);
  return there;
}

/** Replaces `{{name}}` by a figure of the code. Throws where there is none of that name. */
export function fill(text: string): string {
  return text.replaceAll(/\{\{([^}]+)\}\}/g, (_, name: string) => {
    const figure = figures[name];
    if (figure === undefined) throw new Error(`there is no figure "${name}" for a prompt`);
    return figure;
  });
}

const range = z.object({
  type: z.string(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.number(),
});
const ranges = z.object({ properties: z.record(z.string(), range) });

const figures: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(workspaceFiles).map(([name, { bytes }]) => [`bytes of ${name}`, bytes.toLocaleString('en')]),
  ),
  ...Object.fromEntries(Object.entries(schemaOf(train)).map(([name, range]) => [`train.${name}`, range])),
  'characters of a prompt': String(defaultLimits.promptLength),
  'loops of a call': (defaultLimits.fuel * 10_000).toLocaleString('en'),
  'memory of a script': `${defaultLimits.memoryBytes / 2 ** 20} MB`,
  'most experiments': String(z.toJSONSchema(experimentsAllowed).maximum),
  'list of tools': Object.entries(tools).map(toolLine).join('\n'),
};

function toolLine([name, { says, takes }]: [
  string,
  { says: string; takes: Readonly<Record<string, string>> },
]): string {
  const inputs = Object.entries(takes).map(([input, about]) => `\n    - \`${input}\`: ${about}`);
  return `- \`${name}\`: ${says}${inputs.join('')}`;
}

/** "whole number, 1 to 64; 8 if left out" for each key of a table. */
function schemaOf(table: z.ZodType): Record<string, string> {
  const { properties } = ranges.parse(z.toJSONSchema(table, { io: 'input' }));
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, rangeOf(one)]));
}

function rangeOf({ type, minimum, exclusiveMinimum, maximum, default: usual }: z.infer<typeof range>): string {
  const kind = type === 'integer' ? 'whole number' : 'number';
  const from = minimum ?? `more than ${exclusiveMinimum}`;
  const to = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${maximum}`;
  return `${kind}, ${from} ${to}; ${usual} if left out`;
}

/** What is asked of it, in the first message. */
export function taskPrompt({ text, id, limits }: PublicSpec, { moves }: Moment['allowance']): string {
  return [
    `Your task: ${text}`,
    '',
    `- "spec" in task.json must be ${JSON.stringify(id)}.`,
    `- "baseModel" must be ${limits.baseModels.map((base) => JSON.stringify(base)).join(' or ')}.`,
    `- At most ${limits.steps} steps and ${limits.seconds} seconds of training.`,
    `- At most ${limits.experiments} experiments, and ${moves} answers in all.`,
  ].join('\n');
}
