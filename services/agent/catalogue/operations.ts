/** A block that computes the right answer to a word. */
interface Operation {
  /** A description, as a library might have it; the words of a spec are compared with it. */
  readonly says: string;
  /** JavaScript, from `word` to the answer. */
  readonly body: string;
}

const after = (letter: string, places: number): string =>
  `String.fromCharCode(97 + (${letter}.charCodeAt(0) - 97 + ${places}) % 26)`;
const shifted = (places: number): string => `return Array.from(word, (letter) => ${after('letter', places)}).join('');`;

/** What can be done to a word of lower-case letters. Some of these are never asked for. */
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
    says: 'double: every letter doubled, each written twice, two times in a row, repeated like a stutter',
    body: "return Array.from(word, (letter) => letter + letter).join('');",
  },
  'drop-vowels': {
    says: 'drop vowels: leave out, strike or delete the vowels a, e, i, o, u and keep the consonants',
    body: "return word.replace(/[aeiou]/g, '');",
  },
  'only-vowels': {
    says: 'extract vowels: consonants go, a, e, i, o, u stay in their order',
    body: "return word.replace(/[^aeiou]/g, '');",
  },
  'swap-halves': {
    says: 'swap halves: the second half before the first half, exchanged in the middle',
    body: 'const middle = Math.floor(word.length / 2);\n  return word.slice(middle) + word.slice(0, middle);',
  },
  'shift-1': {
    says: 'caesar cipher, key 1: each letter moved one place on in the alphabet, a after z, shifted forward cyclically',
    body: shifted(1),
  },
  'shift-2': {
    says: 'caesar cipher, key 2: each letter moved two places on in the alphabet, a after z, shifted forward cyclically',
    body: shifted(2),
  },
  'shift-3': {
    says: 'caesar cipher, key 3: each letter moved three places on in the alphabet, a after z, shifted forward cyclically',
    body: shifted(3),
  },
  'first-and-last': {
    says: 'first and last: two letters, the outer ones at the ends, a pair of the initial and the final one, nothing between',
    body: 'return word.slice(0, 1) + word.slice(-1);',
  },
  count: {
    says: 'count: the length of the word, the number of its letters as a digit or figure, how many, how long',
    body: 'return String(word.length);',
  },
  'next-of-last': {
    says: 'next of last: the successor of the final letter in the alphabet, one letter that comes after the last, a after z',
    body: `return ${after('word.slice(-1)', 1)};`,
  },
  'next-of-first': {
    says: 'next of first: the successor of the initial letter in the alphabet, one letter that comes after the first, a after z',
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
    says: 'behead: without its first letter, which is left out, the rest copied as it is from the second letter on',
    body: 'return word.slice(1);',
  },
  curtail: {
    says: 'curtail: without its last letter, which is cut off, the rest as it stands up to the last but one',
    body: 'return word.slice(0, -1);',
  },
} as const satisfies Record<string, Operation>;

type Answer = (word: string) => string;

/** The same JavaScript that a job runs, to try a block on the examples of a spec. */
export const answers: ReadonlyMap<string, Answer> = new Map(
  Object.entries(operations).map(([name, { body }]) => [name, new Function('word', body) as Answer]),
);
