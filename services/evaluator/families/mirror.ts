import { exact, plainFamily } from './word-family.ts';

export const mirror = plainFamily({
  name: 'mirror',
  use: 'held-out',
  floor: 0,
  score: exact,
  subject: {
    does: [
      'write the word and, without a gap, the same word backwards',
      'make the word a palindrome of twice its length by appending its reversal',
      'repeat the word as if a mirror stood at its end',
    ],
    result: [
      'the word followed at once by its letters in reverse order',
      'the word and its mirror image, so that it reads the same from both sides',
    ],
  },
  answer: (word) => word + Array.from(word).toReversed().join(''),
});
