import { z } from 'zod';
import { pick, stream, whole } from '../../../services/evaluator/draw.ts';
import type { Family } from '../../../services/evaluator/family.ts';

const ways = [
  'Add up',
  'Give the sum of',
  'Compute the total of',
  'What is the sum of',
  'Please sum',
  'A model should add',
];
const ends = ['the two digits', 'both digits', 'the pair of digits', 'these two figures', 'the digits before ">"'];

/** As somebody else might write it, with nothing of ours but the interface. */
export const family: Family = {
  name: 'sum-of-digits',
  use: 'training',
  floor: 0.15,
  parameters: z.strictObject({}),
  spec: (rng) => ({
    text: `${pick(rng, ways)} ${pick(rng, ends)}, ${pick(rng, ['as in', 'for example', 'so that'])} ab${whole(rng, 9)}1> gives the sum.`,
    parameters: {},
    limits: { steps: 50, seconds: 30, baseModels: ['micro-m'] },
  }),
  items(seed, _, n) {
    const rng = stream(seed, 'sum-of-digits');
    const made = new Map<string, string>();
    while (made.size < n) {
      const [a, b] = [whole(rng, 10), whole(rng, 10)];
      const padding = Array.from({ length: 3 }, () => 'abcdefgh'[whole(rng, 8)]).join('');
      made.set(`${padding}${a}${b}>`, String(a + b));
    }
    return [...made].map(([prompt, answer]) => ({ prompt, answer }));
  },
  score: ({ answer }, completion) => (completion === answer ? 1 : 0),
};
