import { exact, plainFamily } from './word-family.ts';

export const rotateLeft = plainFamily({
  name: 'rotate-left',
  use: 'held-out',
  floor: 0,
  score: exact,
  subject: {
    does: [
      'move the first letter of the word to its end',
      'rotate the word to the left by one place',
      'take the first letter away and append it behind the last',
    ],
    result: [
      'the word rotated by one letter to the left',
      'the word from its second letter on, and then the first letter',
      'the letters in their order, except that the first one comes last',
    ],
  },
  answer: (word) => word.slice(1) + word.slice(0, 1),
});
