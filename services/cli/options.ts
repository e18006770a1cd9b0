import type { Command } from 'commander';
import { UsedWrongly } from './say.ts';

type Example = readonly [command: string, does: string];

/** What the help of every command ends with: what to type, and what that does. */
export function examples(...all: readonly Example[]): string {
  const width = Math.max(...all.map(([command]) => command.length));
  return ['', 'Examples:', ...all.map(([command, does]) => `  ${command.padEnd(width)}  ${does}`)].join('\n');
}

/** A finite number above 0; else throws `UsedWrongly`, which quotes what was given. */
export function positive(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) throw new UsedWrongly(`${option} ${text}: a number above 0 is needed`);
  return number;
}

export interface Given {
  readonly steps?: string;
  readonly seed?: string;
  readonly mind?: string;
  readonly model?: string;
  readonly baseUrl?: string;
}

/** Adds what every command takes that begins a run. */
export const withMind = (command: Command): Command =>
  command
    .option('--mind <NAME>', 'what writes the jobs: "catalogue", or "openai", which is any language model')
    .option('--base-url <URL>', 'of an OpenAI-compatible endpoint, as http://127.0.0.1:8000/v1')
    .option('--model <NAME>', 'as that endpoint names it; a key is read from UPLIFT_AGENT_MIND_KEY or OPENAI_API_KEY');

/** Knobs of a run that were given on the command line; they are checked with the others. */
export function givenOf({ steps, seed, mind, model, baseUrl }: Given): Readonly<Record<string, unknown>> {
  const endpoint = defined({ model, baseUrl });
  const isModel = mind === 'openai';
  if (Object.keys(endpoint).length > 0 && !isModel)
    throw new UsedWrongly(`--${model === undefined ? 'base-url' : 'model'} is for a language model: add --mind openai`);
  if (isModel && (model === undefined || baseUrl === undefined))
    throw new UsedWrongly('--mind openai: say which one with --model NAME and --base-url URL');
  return {
    ...defined({ mind, seed: seed === undefined ? undefined : whole('--seed', seed) }),
    ...defined({ steps: steps === undefined ? undefined : positive('--steps', steps) }),
    ...(isModel ? { endpoint, trainer: 'none' } : {}),
  };
}

const defined = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

function whole(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsedWrongly(`${option} ${text}: a whole number of 0 or more is needed`);
  return Number(text);
}
