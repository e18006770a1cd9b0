/** A block that says what the right answer to a word is. */
interface Operation {
  /** As a library would describe it: what the words of a spec are compared with. */
  readonly says: string;
  /** JavaScript, from `word` to the answer. */
  readonly body: string;
}

const after = (letter: string, places: number): string =>
  `String.fromCharCode(97 + (${letter}.charCodeAt(0) - 97 + ${places}) % 26)`;
const shifted = (places: number): string => `return Array.from(word, (letter) => ${after('letter', places)}).join('');`;

/** What may be done to a word of small letters. Not all of it is ever asked for. */
export const operations = {
  reverse: {
    says: 'reverse: the word backwards, spelled in the opposite order of letters, last to first',
    body: "return Array.from(word).reverse().join('');",
  },
  uppercase: {
    says: 'uppercase: the word in capitals, every letter a capital in upper case, shouted',
    body: 'return word.toUpperCase();',
  },
  capitalize: {
    says: 'capitalize: a capital at the beginning only, as a name or a title is written',
    body: 'return word.slice(0, 1).toUpperCase() + word.slice(1);',
  },
  sort: {
    says: 'sort: letters in alphabetical, ascending order, sorted from a to z, repeats kept',
    body: "return Array.from(word).sort().join('');",
  },
  double: {
    says: 'double: each letter doubled, written twice in a row, repeated like a stutter',
    body: "return Array.from(word, (letter) => letter + letter).join('');",
  },
  'drop-vowels': {
    says: 'drop vowels: consonants only; the vowels a, e, i, o, u deleted, struck or left out',
    body: "return word.replace(/[aeiou]/g, '');",
  },
  'keep-vowels': {
    says: 'keep vowels: only a, e, i, o, u stay and the consonants go',
    body: "return word.replace(/[^aeiou]/g, '');",
  },
  'swap-halves': {
    says: 'swap halves: the second half before the first half, exchanged in the middle',
    body: 'const middle = Math.floor(word.length / 2);\n  return word.slice(middle) + word.slice(0, middle);',
  },
  'shift-1': {
    says: 'caesar cipher, key 1: every letter moved one place on, each replaced, shifted forward cyclically by 1',
    body: shifted(1),
  },
  'shift-2': {
    says: 'caesar cipher, key 2: every letter moved two places on, each replaced, shifted forward cyclically by 2',
    body: shifted(2),
  },
  'shift-3': {
    says: 'caesar cipher, key 3: every letter moved three places on, each replaced, shifted forward cyclically by 3',
    body: shifted(3),
  },
  'first-and-last': {
    says: 'first and last: the two outer letters at the ends, a pair of the initial and the final one, nothing between',
    body: 'return word.slice(0, 1) + word.slice(-1);',
  },
  count: {
    says: 'count: the length of the word, the number of its letters as a digit or figure, how many, how long',
    body: 'return String(word.length);',
  },
  'next-of-last': {
    says: 'next of last: the successor of the final letter in the alphabet, the one that comes after the last',
    body: `return ${after('word.slice(-1)', 1)};`,
  },
  'next-of-first': {
    says: 'next of first: the successor of the initial letter in the alphabet, the one that comes after the first',
    body: `return ${after('word', 1)};`,
  },
  'rotate-left': {
    says: 'rotate left: the first letter taken away and appended at the end, all others one place to the left',
    body: 'return word.slice(1) + word.slice(0, 1);',
  },
  'rotate-right': {
    says: 'rotate right: the last letter put before all others, which go one place to the right',
    body: 'return word.slice(-1) + word.slice(0, -1);',
  },
  behead: {
    says: 'behead: without its first letter, from the second on, the rest copied as it is',
    body: 'return word.slice(1);',
  },
  curtail: {
    says: 'curtail: without its last letter, all that stands before the end',
    body: 'return word.slice(0, -1);',
  },
} as const satisfies Record<string, Operation>;

type Answer = (word: string) => string;

/** The same JavaScript that a job will run, for trying a block on the examples of a spec. */
export const answers: ReadonlyMap<string, Answer> = new Map(
  Object.entries(operations).map(([name, { body }]) => [name, new Function('word', body) as Answer]),
);
