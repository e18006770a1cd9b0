// The base models as they lie in the repo, each read once by a process.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readSafetensors } from './safetensors.ts';
import { bases } from './tensors.ts';
import type { Weights } from './weights.ts';

/** `hash`: SHA-256 of the file, so that what depends on the weights can say on which. */
export type Base = { readonly weights: Weights; readonly hash: string };

const read = new Map<string, Promise<Base>>();

/** Rejects where there is no base model of this name. */
export function loadBase(name: string): Promise<Base> {
  if (!Object.hasOwn(bases, name))
    return Promise.reject(new Error(`no base model is named "${name}"; there are ${Object.keys(bases).join(', ')}`));
  const there = read.get(name) ?? readBase(name);
  read.set(name, there);
  return there;
}

async function readBase(name: string): Promise<Base> {
  const bytes = await readFile(new URL(`./bases/${name}.safetensors`, import.meta.url));
  return { weights: readSafetensors(bytes), hash: createHash('sha256').update(bytes).digest('hex') };
}
