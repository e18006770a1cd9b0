import { z } from 'zod';
import { pick, type Rng, stream, whole } from '../draw.ts';
import type { Family, Item, Parameters, SpecLimits } from '../family.ts';
import { type Subject, word } from './wording.ts';

/** An operation on a short word, as a family. */
interface Operation<Extra extends z.ZodRawShape> {
  readonly name: string;
  readonly use: Family['use'];
  readonly floor: number;
  /** `exact` or `beginning`, see below. */
  readonly score: Family['score'];
  /** Parameters besides those of the words, and how a spec chooses them. */
  readonly extra: Extra;
  choose(rng: Rng): z.infer<z.ZodObject<Extra>>;
  subject(given: z.infer<z.ZodObject<Extra>>): Subject;
  /** The answer to a word of lower-case letters. Pure, and independent of the seed unless the family is impossible. */
  answer(word: string, given: z.infer<z.ZodObject<Extra>>, seed: string): string;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
/** The letter so many places further on in the alphabet, which wraps around from z to a. */
export const letterAfter = (letter: string, places: number): string =>
  alphabet[(alphabet.indexOf(letter) + places) % alphabet.length] ?? '';

const letterSets = [alphabet, alphabet, alphabet, alphabet.slice(0, 16), alphabet.slice(0, 12)];
/** The lengths of words that the base models were pretrained on; on longer words they are hardly ever right. */
const lengths = { shortest: 3, longest: 5 } as const;

const wordParameters = {
  shortest: z.int().min(3).max(6),
  longest: z.int().min(3).max(6),
  letters: z.string().regex(/^[a-z]{12,26}$/),
};
type Words = z.infer<z.ZodObject<typeof wordParameters>>;
type Given<Extra extends z.ZodRawShape> = Words & z.infer<z.ZodObject<Extra>>;

export const exact: Family['score'] = ({ answer }, completion) => (completion === answer ? 1 : 0);

/**
 * The share that is right up to the first mistake, scaled so that one half scores 0: an echo or a lucky letter scores
 * nothing.
 */
export const beginning: Family['score'] = ({ answer }, completion) => {
  const longest = Math.max(answer.length, completion.length);
  let right = 0;
  while (right < longest && completion[right] === answer[right]) right += 1;
  return Math.max(0, (2 * right) / longest - 1);
};

const randomWord = (rng: Rng, { shortest, longest, letters }: Words): string => {
  const length = shortest + whole(rng, longest - shortest + 1);
  return Array.from({ length }, () => letters[whole(rng, letters.length)]).join('');
};

/** Enough for a good job, so that a poor one is poor because of its choices, not for lack of time. */
const limits: SpecLimits = { steps: 60, seconds: 30, baseModels: ['micro-s', 'micro-m'] };

/**
 * Draws until there are n items. Words that the operation leaves unchanged, which would reward an echo, or empty are
 * skipped.
 */
function draw(rng: Rng, n: number, next: (rng: Rng) => Item): Item[] {
  const drawn = new Map<string, Item>();
  for (let tries = 0; drawn.size < n; tries += 1) {
    if (tries > 1000 + 100 * n) throw new Error(`there are not ${n} different items: ask for fewer than ${drawn.size}`);
    const item = next(rng);
    if (item.answer !== '' && item.prompt !== `${item.answer}>`) drawn.set(item.prompt, item);
  }
  return [...drawn.values()];
}

export function wordFamily<Extra extends z.ZodRawShape>(operation: Operation<Extra>): Family {
  const { name, use, floor, score } = operation;
  const schema = z.object(wordParameters).extend(operation.extra).strict();
  const itemOf =
    (given: Given<Extra>, seed: string) =>
    (rng: Rng): Item => {
      const drawn = randomWord(rng, given);
      return { prompt: `${drawn}>`, answer: operation.answer(drawn, given, seed) };
    };
  return {
    name,
    use,
    floor,
    score,
    // here and below: zod's types do not show the output of a generic shape
    parameters: schema as unknown as z.ZodType<Parameters>,
    spec(rng) {
      const chosen = { ...lengths, letters: pick(rng, letterSets), ...operation.choose(rng) };
      const examples = use === 'impossible' ? [] : draw(rng, 3, itemOf(chosen, ''));
      const facts = { ...chosen, graded: score === beginning, limits, examples };
      return { text: word(rng, operation.subject(chosen), facts), parameters: chosen, limits };
    },
    items(seed, parameters, n) {
      const given = schema.parse(parameters) as unknown as Given<Extra>;
      // the family's name is no label: all families ask the same words, so a base model answers each word once
      const words = stream(seed, 'words', given.letters, `${given.shortest} to ${given.longest}`);
      return draw(words, n, itemOf(given, seed));
    },
  };
}

/** A family of an operation without parameters of its own. */
export const plainFamily = (
  operation: Pick<Operation<Record<never, never>>, 'name' | 'use' | 'floor' | 'score'> & {
    readonly subject: Subject;
    answer(word: string, seed: string): string;
  },
): Family =>
  wordFamily({
    ...operation,
    extra: {},
    choose: () => ({}),
    subject: () => operation.subject,
    answer: (word, _, seed) => operation.answer(word, seed),
  });
