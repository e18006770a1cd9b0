// What only this process has: the key of the endpoint, and a folder for adapters. Set once, by main.ts.
import { readFileSync } from 'node:fs';
import { ConfigError } from '#kit/config';
import type { AgentConfig } from '../config.ts';

interface Access {
  /** undefined: the endpoint asks for none. */
  readonly key: string | undefined;
  readonly adapterFolder: string | undefined;
  readonly answerSeconds: number;
}

/** Variables that may hold the key. */
export const keyVariables = ['UPLIFT_AGENT_MIND_KEY', 'OPENAI_API_KEY'] as const;

let kept: Access = { key: undefined, adapterFolder: undefined, answerSeconds: 100 };
export const access = (): Access => kept;

/** Throws `ConfigError`, which never quotes the key. */
export function keepAccess(config: AgentConfig, env: Readonly<Record<string, string | undefined>>): void {
  const { adapterFolder, answerSeconds } = config;
  kept = { key: keyOf(config, env), adapterFolder: adapterFolder || undefined, answerSeconds };
}

function keyOf({ mindKey, mindKeyFile }: AgentConfig, env: Parameters<typeof keepAccess>[1]): string | undefined {
  const key = (mindKey || (mindKeyFile ? fromFile(mindKeyFile) : env.OPENAI_API_KEY) || '').trim();
  if (key === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new ConfigError(
    'agent: the key of the endpoint has a blank or a sign outside ASCII in it: it must be the key alone',
  );
}

function fromFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read';
    throw new ConfigError(
      `agent: mindKeyFile is ${JSON.stringify(file)}: ${why}; it must be a file with the key alone`,
    );
  }
}

/** A shorter key ("EMPTY", "none") is a placeholder, and an ordinary word. */
const shortestSecret = 8;

/** The text without the key: endpoints quote it in errors. */
export function withoutKey(text: string): string {
  const { key = '' } = kept;
  return key.length < shortestSecret ? text : text.replaceAll(key, '[key]');
}

/** What an endpoint said, as it may be stored: it could have put our key, or half a character, into it. */
export const safe = (text: string): string => withoutKey(text.toWellFormed());
