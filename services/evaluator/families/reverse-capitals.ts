import { exact, plainFamily } from './word-family.ts';

export const reverseCapitals = plainFamily({
  name: 'reverse-capitals',
  use: 'held-out',
  floor: 0,
  score: exact,
  subject: {
    does: [
      'write the word backwards and in capitals',
      'reverse the word and turn all of its letters into upper case',
      'spell the word from its end to its beginning, with capital letters only',
    ],
    result: ['the word backwards, in upper case', 'its letters as capitals, the last one first'],
  },
  answer: (word) => Array.from(word.toUpperCase()).toReversed().join(''),
});
