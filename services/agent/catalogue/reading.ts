import { answers, operations } from './operations.ts';

/** What can be extracted from the text of a spec without understanding it. */
export interface Reading {
  /** Operation → how many words it shares with the spec, 0 to 1; the nearest operation has 1. */
  readonly overlap: ReadonlyMap<string, number>;
  /** Operation → 1: it fits every example; -1: it fails one; 0: there are no examples. */
  readonly fits: ReadonlyMap<string, number>;
  readonly shortest: number;
  readonly longest: number;
  readonly letters: string;
  /** The greatest number of steps that the text mentions; Infinity: none. */
  readonly steps: number;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';

export function readSpec(text: string): Reading {
  const steps = [...text.matchAll(/(\d+) (?:optimizer )?steps/g)].map(([, count]) => Number(count));
  return {
    overlap: overlapOf(aimOf(text)),
    fits: fitsOf(text),
    ...wordsOf(text),
    steps: steps.length > 0 ? Math.max(...steps) : Infinity,
  };
}

/** Matches a sentence on limits, examples or scoring: they come after the sentences that say what is wanted. */
const goesOn = /\d\D+\d.*letters|letters.*\d|steps|counts|credit|[Ss]cored|paid|For (?:example|instance)|To show/;

/** The sentences that say what is wanted, which come first. */
function aimOf(text: string): string {
  const sentences = sentencesOf(text);
  const end = sentences.findIndex((sentence) => goesOn.test(sentence));
  return end > 0 ? sentences.slice(0, end).join(' ') : text;
}

const functionWords = new Set(
  (
    'a an the to of in on at by for from with as and or but is it its that this what when which after all they there ' +
    'has have been be so not no nothing whenever each should must can'
  ).split(' '),
);

/** The words of a text, without function words and without the most common endings. */
function stemsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z]+|\d+/g) ?? [];
  const meaning = words.filter((word) => !functionWords.has(word));
  return new Set(meaning.map((word) => (word.length > 4 ? word.replace(/(?:ally|ical|ing|ed|es|s|d|e)$/, '') : word)));
}

const descriptions = new Map(Object.entries(operations).map(([name, { says }]) => [name, stemsOf(says)]));

/** Inverse document frequency (Spärck Jones 1972): a word in few descriptions says more than one in many. */
const rarity = new Map(
  [...descriptions.values()]
    .flatMap((stems) => [...stems])
    .map((stem) => [
      stem,
      Math.log(descriptions.size / [...descriptions.values()].filter((one) => one.has(stem)).length),
    ]),
);
const weightOf = (stem: string): number => (rarity.get(stem) ?? 0) ** 2;

/**
 * Cosine similarity of the spec and each description, weighted by rarity (Salton and McGill 1983), over the greatest
 * one.
 */
function overlapOf(text: string): Map<string, number> {
  const stems = stemsOf(text);
  const scores = [...descriptions].map(([name, described]): [string, number] => {
    const shared = [...described].filter((stem) => stems.has(stem)).map((stem) => weightOf(stem));
    const length = [...described].map((stem) => weightOf(stem));
    return [name, sum(shared) / Math.sqrt(sum(length))];
  });
  const most = Math.max(...scores.map(([, score]) => score), Number.MIN_VALUE);
  return new Map(scores.map(([name, score]) => [name, score / most]));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function fitsOf(text: string): Map<string, number> {
  const shown = [...text.matchAll(/\b([a-z]+)>"?\s*(?:->|becomes|comes)\s*"?([A-Za-z0-9]+)/g)];
  return new Map(
    [...answers].map(([name, answer]) => {
      const right = shown.every(([, word = '', wanted]) => answer(word) === wanted);
      return [name, shown.length === 0 ? 0 : right ? 1 : -1];
    }),
  );
}

const lengths = /(\d)\D{1,16}(\d)(?: letters|, made)/;

/** The lengths and letters of the words that will be asked for; the defaults are what the base models know. */
function wordsOf(text: string): Pick<Reading, 'shortest' | 'longest' | 'letters'> {
  const sentence = sentencesOf(text).find((one) => lengths.test(one)) ?? '';
  const [, shortest = '3', longest = '5'] = lengths.exec(sentence) ?? [];
  const [, listed] = /"([a-z]+)"/.exec(sentence) ?? [];
  const [, first = 'a', last = 'z'] = /\b([a-z])(?: to |-|\.\.)([a-z])\b/.exec(sentence) ?? [];
  const letters = listed ?? alphabet.slice(alphabet.indexOf(first), alphabet.indexOf(last) + 1);
  return { shortest: Number(shortest), longest: Number(longest), letters: letters || alphabet };
}

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?]["']?)\s+/);
