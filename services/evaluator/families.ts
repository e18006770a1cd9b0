import { behead } from './families/behead.ts';
import { countLetters } from './families/count-letters.ts';
import { doubleLetters } from './families/double-letters.ts';
import { dropVowels } from './families/drop-vowels.ts';
import { firstAndLast } from './families/first-and-last.ts';
import { nextLetter } from './families/next-letter.ts';
import { nextOfFirst } from './families/next-of-first.ts';
import { reverse } from './families/reverse.ts';
import { rotateLeft } from './families/rotate-left.ts';
import { secretDigit } from './families/secret-digit.ts';
import { shift } from './families/shift.ts';
import { sortLetters } from './families/sort-letters.ts';
import { swapHalves } from './families/swap-halves.ts';
import { uppercase } from './families/uppercase.ts';
import type { Family } from './family.ts';

/** All families, one line each. */
export const families: readonly Family[] = [
  reverse,
  uppercase,
  sortLetters,
  doubleLetters,
  dropVowels,
  swapHalves,
  shift,
  firstAndLast,
  countLetters,
  nextLetter,
  rotateLeft,
  behead,
  nextOfFirst,
  secretDigit,
];
