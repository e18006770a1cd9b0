import { exact, plainFamily } from './word-family.ts';

export const behead = plainFamily({
  name: 'behead',
  use: 'held-out',
  floor: 0,
  score: exact,
  subject: {
    does: [
      'leave out the first letter of the word and write the rest',
      'behead the word: everything from its second letter on stays as it is',
      'copy the word without the letter that it begins with',
    ],
    result: [
      'the word without its first letter',
      'all letters but the first, in their order',
      'what follows the first letter of the word',
    ],
  },
  answer: (word) => word.slice(1),
});
