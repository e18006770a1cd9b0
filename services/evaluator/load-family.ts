import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { flawsOf } from './conformance.ts';
import type { Family } from './family.ts';

/** Loads a family by path, from a module that exports `family`. Throws a sentence if the family has flaws. */
export async function loadFamily(path: string): Promise<Family> {
  const { family }: { family?: Family } = await import(pathToFileURL(resolve(path)).href);
  if (typeof family !== 'object')
    throw new Error(`${path} exports no "family": export const family, as in services/evaluator/family.ts`);
  const flaws = flawsOf(family);
  if (flaws.length > 0) throw new Error(`${path} is not a family yet: ${flaws.slice(0, 5).join('; ')}`);
  return family;
}
