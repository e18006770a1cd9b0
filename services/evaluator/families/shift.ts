import { z } from 'zod';
import { pick } from '../draw.ts';
import { beginning, letterAfter, wordFamily } from './word-family.ts';

/**
 * The base models were pretrained on shifts by one place. What they never do cannot be rewarded, so the others are
 * rare.
 */
const mostlyOne = [...Array.from({ length: 38 }, () => 1), 2, 3];
const times = ['', 'one place', 'two places', 'three places'];

export const shift = wordFamily({
  name: 'shift',
  use: 'training',
  floor: 0,
  score: beginning,
  extra: { places: z.int().min(1).max(3) },
  choose: (rng) => ({ places: pick(rng, mostlyOne) }),
  subject: ({ places }) => ({
    does: [
      `move every letter of the word ${times[places]} on in the alphabet, starting again at a after z`,
      `write the word in a Caesar cipher whose key is ${places} (a becomes ${letterAfter('a', places)}, z becomes ${letterAfter('z', places)})`,
      `replace each letter by the one that stands ${times[places]} behind it in the alphabet, round from z to a`,
    ],
    result: [
      `the word with each letter shifted forward by ${places}, cyclically`,
      `its letters, each ${times[places]} later in the alphabet, a following z`,
    ],
  }),
  answer: (word, { places }) => Array.from(word, (letter) => letterAfter(letter, places)).join(''),
});
