import { pick, type Rng, whole } from '../draw.ts';
import type { Item, SpecLimits } from '../family.ts';

/** What a spec is about, in several wordings, each of them complete without an example. */
export interface Subject {
  /** "reverse the word": follows "to" or "must". */
  readonly does: readonly string[];
  /** "the word backwards": what the completion is. */
  readonly result: readonly string[];
}

interface Facts {
  readonly shortest: number;
  readonly longest: number;
  readonly letters: string;
  readonly graded: boolean;
  readonly examples: readonly Item[];
  readonly limits: SpecLimits;
}

type Say = (rng: Rng, subject: Subject) => string;

const aims: readonly Say[] = [
  (rng, { does }) => `Train a model to ${pick(rng, does)}. A prompt is the word and the sign ">", nothing else.`,
  (rng, { result }) =>
    `The model is shown a lowercase word that ends in ">" and has to answer with ${pick(rng, result)}.`,
  (rng, { result }) => `Somebody types a short word, then ">". What should come back is ${pick(rng, result)}.`,
  (rng, { does }) =>
    `Teach the base model one habit: whenever it reads a word followed by ">", it must ${pick(rng, does)} and stop there.`,
  (rng, { does, result }) =>
    `Task: ${pick(rng, does)}. The prompt has the form "word>", the completion should be ${pick(rng, result)}.`,
  (rng, { result }) =>
    `After training, the completion of every prompt "word>" ought to be ${pick(rng, result)}; untrained, the model guesses at it.`,
  (rng, { does }) => `Wanted: a small model that can ${pick(rng, does)} when it is given that word and a closing ">".`,
  (rng, { result, does }) =>
    `Our users need ${pick(rng, result)} for each word they send (as "word>"). Build the job that makes a model ${pick(rng, does)}.`,
];

const words = (rng: Rng, { shortest, longest, letters }: Facts): string => {
  const [first, last] = [letters.at(0), letters.at(-1)];
  return pick(rng, [
    `Words have ${shortest} to ${longest} letters, from ${first} to ${last}.`,
    `Expect words of length ${shortest} up to ${longest}, made at random of the letters ${first}-${last}.`,
    `They are no English words: between ${shortest} and ${longest} letters, each drawn from ${first}..${last}.`,
    `Inputs use only the letters "${letters}" and are at least ${shortest} and at most ${longest} letters long.`,
  ]);
};

const scoring = (rng: Rng, { graded }: Facts): string =>
  graded
    ? pick(rng, [
        'A completion is paid for how much of the answer it has right from the start, as far as that is more than half.',
        'Partly right counts: the share of the answer up to the first mistake, where half of it is worth nothing.',
      ])
    : pick(rng, [
        'Only a completion that is right to the last character, and ends there, counts.',
        'There is no credit for almost: the completion has to equal the answer.',
        'Scored by exact match on words that you will not see.',
      ]);

const bounds = (rng: Rng, { limits: { steps, seconds, baseModels } }: Facts): string => {
  const bases = baseModels.join(' or ');
  return pick(rng, [
    `You may train for at most ${steps} steps and ${seconds} seconds, beginning with ${bases}.`,
    `Limits: ${steps} optimizer steps, ${seconds} s of training. Base: ${bases}.`,
    `Begin with ${bases}; stay within ${seconds} seconds and ${steps} steps.`,
  ]);
};

const examples = (rng: Rng, shown: readonly Item[]): string => {
  const form = pick<(item: Item) => string>(rng, [
    ({ prompt, answer }) => `"${prompt}" becomes "${answer}"`,
    ({ prompt, answer }) => `${prompt} -> ${answer}`,
    ({ prompt, answer }) => `after ${prompt} comes ${answer}`,
  ]);
  return `${pick(rng, ['For example:', 'For instance,', 'To show what is meant:'])} ${shown.map(form).join('; ')}.`;
};

/** A spec in words: the aim, then the rest in any order, with or without examples. */
export function word(rng: Rng, subject: Subject, facts: Facts): string {
  const shown = facts.examples.slice(0, whole(rng, facts.examples.length + 1));
  const rest = [words(rng, facts), scoring(rng, facts), bounds(rng, facts)];
  if (shown.length > 0) rest.push(examples(rng, shown));
  const turned = whole(rng, rest.length);
  const aim = pick(rng, aims)(rng, subject);
  return [aim, ...rest.slice(turned), ...rest.slice(0, turned)].join(pick(rng, [' ', ' ', '\n']));
}
