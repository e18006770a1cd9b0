import { Failed } from '#kit/boundary';
import type { RunConfig } from '#protocol/run';
import { catalogue } from './catalogue/mind.ts';
import type { Mind } from './mind.ts';
import { openai } from './openai/mind.ts';

/** All minds, one line each. */
const minds: Readonly<Record<RunConfig['mind'], Mind>> = {
  catalogue,
  openai,
};

export function mindOf(name: string): Mind {
  const found = Object.entries(minds).find(([known]) => known === name);
  if (found) return found[1];
  throw new Failed('edge/refused', `there is no mind "${name}": known are ${Object.keys(minds).join(', ')}`);
}
