import { exact, plainFamily } from './word-family.ts';

export const dropVowels = plainFamily({
  name: 'drop-vowels',
  use: 'training',
  floor: 0,
  score: exact,
  subject: {
    does: [
      'leave out the vowels (a, e, i, o, u)',
      'keep only the consonants of the word, y being one',
      'strike every a, e, i, o and u from the word',
    ],
    result: [
      'the word without its vowels a, e, i, o, u',
      'what is left of the word when a, e, i, o and u are deleted',
      'its consonants in their order, where y counts as a consonant',
    ],
  },
  answer: (word) => word.replaceAll(/[aeiou]/g, ''),
});
