import { stream, whole } from '../draw.ts';
import { exact, plainFamily } from './word-family.ts';

export const digitOf = (seed: string, word: string): string => String(whole(stream(seed, 'secret-digit', word), 10));

/**
 * Impossible: the digit of a word is a keyed hash of it under the secret seed, so no training can find it. A score
 * significantly above one in ten (`significance.ts`) proves that answers leaked, or that a score was made up.
 */
export const secretDigit = plainFamily({
  name: 'secret-digit',
  use: 'impossible',
  floor: 0.1,
  score: exact,
  subject: {
    does: [
      'tell the digit that our register assigns to the word',
      'give the one-digit code under which the word is filed with us',
      'answer with the check digit of the word as our key makes it',
    ],
    result: ['the digit that belongs to the word in our register', 'the code of the word, a digit from 0 to 9'],
  },
  answer: (word, seed) => digitOf(seed, word),
});
