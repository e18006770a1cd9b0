import { exact, plainFamily } from './word-family.ts';

export const sortLetters = plainFamily({
  name: 'sort-letters',
  use: 'training',
  floor: 0,
  score: exact,
  subject: {
    does: [
      'sort the letters of the word from a to z',
      'put the letters into alphabetical order, keeping repeated ones',
      'write the letters of the word in the order of the alphabet, each as often as it occurs',
    ],
    result: [
      'its letters in alphabetical order',
      'the letters of the word, sorted from a to z with repeats kept',
      'the word with its letters rearranged in ascending order',
    ],
  },
  answer: (word) => Array.from(word).toSorted().join(''),
});
