import { answers, operations } from './operations.ts';

/** What can be read in the text of a spec without understanding it. */
export interface Reading {
  /** Block → how much of the words it shares, 0 to 1, where the nearest block has 1. */
  readonly overlap: ReadonlyMap<string, number>;
  /** Block → 1: it gives every example; -1: it fails at one. Where no example is shown, 0. */
  readonly fits: ReadonlyMap<string, number>;
  readonly shortest: number;
  readonly longest: number;
  readonly letters: string;
  /** The greatest number of steps that it speaks of; Infinity: of none. */
  readonly steps: number;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const descriptions = new Map(Object.entries(operations).map(([name, { says }]) => [name, stemsOf(says)]));

export function readSpec(text: string): Reading {
  const [shortest, longest] = lengthsOf(text);
  const steps = [...text.matchAll(/(\d+) (?:optimizer )?steps/g)].map(([, count]) => Number(count));
  return {
    overlap: overlapOf(text),
    fits: fitsOf(text),
    shortest,
    longest,
    letters: lettersOf(text),
    steps: steps.length > 0 ? Math.max(...steps) : Infinity,
  };
}

/** Words without their commonest endings. */
function stemsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z]+|\d+/g) ?? [];
  return new Set(words.map((word) => (word.length > 4 ? word.replace(/(?:ally|ical|ing|ed|es|s|d|e)$/, '') : word)));
}

/** Inverse document frequency (Spärck Jones 1972): a word in few descriptions says more. 0: it is in none, or in all. */
function weightOf(stem: string): number {
  const having = [...descriptions.values()].filter((stems) => stems.has(stem)).length;
  return having === 0 ? 0 : Math.log(descriptions.size / having);
}

/** The cosine of a spec and a description, both weighed by rarity (Salton and McGill 1983), over the greatest. */
function overlapOf(text: string): Map<string, number> {
  const stems = stemsOf(text);
  const scores = [...descriptions].map(([name, described]): [string, number] => {
    const shared = [...described].filter((stem) => stems.has(stem)).map((stem) => weightOf(stem) ** 2);
    const length = [...described].map((stem) => weightOf(stem) ** 2);
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

/** Of the words that will be asked for; what the text does not say is what the base models know. */
function lengthsOf(text: string): [number, number] {
  const [, one, other] = /(\d)\D{1,16}(\d)(?: letters|, made)/.exec(text) ?? [];
  return one && other ? [Number(one), Number(other)] : [3, 5];
}

function lettersOf(text: string): string {
  const listed = /letters "([a-z]+)"/.exec(text)?.[1];
  if (listed) return listed;
  const [, first = 'a', last = 'z'] = /\b([a-z])(?: to |-|\.\.)([a-z])[.,]/.exec(text) ?? [];
  return alphabet.slice(alphabet.indexOf(first), alphabet.indexOf(last) + 1) || alphabet;
}
