import { exact, plainFamily } from './word-family.ts';

export const reverse = plainFamily({
  name: 'reverse',
  use: 'training',
  floor: 0,
  score: exact,
  subject: {
    does: [
      'reverse the word',
      'spell the word from its last letter to its first',
      'write the letters of the word in the opposite order',
    ],
    result: ['the word backwards', 'its letters in reverse order', 'the same letters, last one first'],
  },
  answer: (word) => Array.from(word).toReversed().join(''),
});
