import { exact, letterAfter, plainFamily } from './word-family.ts';

// The floor: as for next-letter.
export const nextOfFirst = plainFamily({
  name: 'next-of-first',
  use: 'held-out',
  floor: 0.12,
  score: exact,
  subject: {
    does: [
      'name the letter of the alphabet that comes after the first letter of the word, a coming after z',
      'write one letter only, the successor of the one that the word begins with (z is followed by a)',
      'take the initial letter of the word one place further in the alphabet, from z to a, and write nothing else',
    ],
    result: [
      "the letter after the word's first letter in the alphabet, with a after z",
      'one letter: the alphabetical successor of the initial one, z wrapping round to a',
    ],
  },
  answer: (word) => letterAfter(word.slice(0, 1), 1),
});
