import { beginning, plainFamily } from './word-family.ts';

export const uppercase = plainFamily({
  name: 'uppercase',
  use: 'training',
  floor: 0,
  score: beginning,
  subject: {
    does: [
      'write the word in capitals',
      'turn every letter into its capital',
      'shout the word, which is to write its letters in upper case',
    ],
    result: [
      'the word in upper case',
      'the same word in capital letters',
      'its letters as capitals, in the same order',
    ],
  },
  answer: (word) => word.toUpperCase(),
});
