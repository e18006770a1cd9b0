import { beginning, plainFamily } from './word-family.ts';

export const doubleLetters = plainFamily({
  name: 'double-letters',
  use: 'training',
  floor: 0,
  score: beginning,
  subject: {
    does: [
      'write every letter of the word twice',
      'double each letter where it stands',
      'repeat each letter once, right after itself',
    ],
    result: [
      'the word with each letter doubled',
      'every letter twice in a row, in the order of the word',
      'the word as somebody with a stutter of two would type it: each letter two times',
    ],
  },
  answer: (word) => Array.from(word, (letter) => letter + letter).join(''),
});
