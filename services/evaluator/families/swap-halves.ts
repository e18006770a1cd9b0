import { exact, plainFamily } from './word-family.ts';

export const swapHalves = plainFamily({
  name: 'swap-halves',
  use: 'training',
  floor: 0,
  score: exact,
  subject: {
    does: [
      'swap the two halves of the word; with an odd number of letters the first half is the shorter one',
      'move the first half of the word behind the second, the middle letter of an odd word belonging to the second',
      'write the second half first and then the first half, where the middle letter goes with the second half',
    ],
    result: [
      'the second half of the word and then its first half, the middle letter counting to the second',
      'the word with its halves exchanged (the first half is rounded down)',
    ],
  },
  answer: (word) => word.slice(Math.floor(word.length / 2)) + word.slice(0, Math.floor(word.length / 2)),
});
