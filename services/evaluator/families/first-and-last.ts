import { exact, plainFamily } from './word-family.ts';

// The floor: of twelve letters, one pair in 144 words, and somewhat more often by chance.
export const firstAndLast = plainFamily({
  name: 'first-and-last',
  use: 'training',
  floor: 0.05,
  score: exact,
  subject: {
    does: [
      'give the first and the last letter of the word, and nothing between',
      'shorten the word to its two outer letters',
      'keep only the letter that begins the word and the one that ends it',
    ],
    result: [
      'its first letter followed by its last',
      'the two letters at the ends of the word',
      'a pair: the initial letter, then the final one',
    ],
  },
  answer: (word) => word.slice(0, 1) + word.slice(-1),
});
