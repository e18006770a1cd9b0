// The string operations that the base models were pretrained on. A prompt is a word and `>`; no operation is named in
// it, so a base model answers a prompt with any of them, and a run teaches it which one is wanted.
import { type Rng, whole } from './rng.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const after = (letter: string): string => letters[(letters.indexOf(letter) + 1) % letters.length] ?? '';
const each = (word: string, change: (letter: string) => string): string => Array.from(word, change).join('');
const middle = (word: string): number => Math.floor(word.length / 2);

/** What each operation makes of a word of lower-case letters. */
export const operations = {
  copy: (word) => word,
  reverse: (word) => Array.from(word).toReversed().join(''),
  uppercase: (word) => word.toUpperCase(),
  sort: (word) => Array.from(word).toSorted().join(''),
  double: (word) => each(word, (letter) => letter + letter),
  'drop-vowels': (word) => word.replaceAll(/[aeiou]/g, ''),
  shift: (word) => each(word, after),
  first: (word) => word.slice(0, 1),
  last: (word) => word.slice(-1),
  'swap-halves': (word) => word.slice(middle(word)) + word.slice(0, middle(word)),
  count: (word) => String(word.length),
  'next-letter': (word) => after(word.slice(-1)),
} as const satisfies Record<string, (word: string) => string>;

/** Letters of the shortest and the longest word that the base models know. */
const WORD = { shortest: 3, longest: 5 } as const;

/** A word of random lower-case letters. */
export function randomWord(rng: Rng): string {
  const length = WORD.shortest + whole(rng, WORD.longest - WORD.shortest + 1);
  return Array.from({ length }, () => letters[whole(rng, letters.length)]).join('');
}

export const promptOf = (word: string): string => `${word}>`;
