import { exact, letterAfter, plainFamily } from './word-family.ts';

// The floor: of twelve letters, always the same one is right once in twelve, and somewhat more often by chance.
export const nextLetter = plainFamily({
  name: 'next-letter',
  use: 'training',
  floor: 0.12,
  score: exact,
  subject: {
    does: [
      'name the letter of the alphabet that comes after the last letter of the word, a coming after z',
      "write one letter, the successor of the word's last one (z is followed by a)",
      'continue the alphabet by one letter from where the word ends, from z to a again',
    ],
    result: [
      "the letter after the word's last letter in the alphabet, with a after z",
      'one letter: the alphabetical successor of the final letter, z wrapping round to a',
    ],
  },
  answer: (word) => letterAfter(word.slice(-1), 1),
});
