import { exact, plainFamily } from './word-family.ts';

// The floor: where words have one of three lengths, always the same digit is right once in three.
export const countLetters = plainFamily({
  name: 'count-letters',
  use: 'training',
  floor: 0.4,
  score: exact,
  subject: {
    does: [
      'count the letters of the word and write the number as a digit',
      'say with one digit how long the word is',
      'tell the length of the word',
    ],
    result: [
      'the number of its letters, one digit',
      'the length of the word as a figure',
      'a single digit: how many letters came before the sign',
    ],
  },
  answer: (word) => String(word.length),
});
