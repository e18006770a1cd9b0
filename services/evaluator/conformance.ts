import { stream, whole } from './draw.ts';
import { answerShape, type Family, type Item, promptShape, type Spec, specLimits } from './family.ts';

const count = 200;
const seeds = ['conformance one', 'conformance two'] as const;

/**
 * Checks whether something is a family: returns a sentence for each flaw, and none for a correct family. The family
 * need not be trusted: if it throws, that is reported too. The result is deterministic.
 */
export function flawsOf(family: Family): string[] {
  const checks = [nameAndFloor, specs, items, scores, guesses];
  return checks.flatMap((check) => {
    try {
      return [...check(family)];
    } catch (error) {
      return [`${family.name} threw ${error instanceof Error ? error.message : String(error)}: nothing here may throw`];
    }
  });
}

type Flaws = Iterable<string>;

function* nameAndFloor({ name, floor }: Family): Flaws {
  if (!/^[a-z][a-z0-9-]{1,39}$/.test(name)) yield `the name is "${name}": use small letters, digits and "-"`;
  if (!(floor >= 0 && floor <= 0.5)) yield `the floor is ${floor}: a floor is 0 to 0.5`;
}

const specsOf = (family: Family): Spec[] =>
  Array.from({ length: 60 }, (_, n) => family.spec(stream('conformance', family.name, String(n))));

function* specs(family: Family): Flaws {
  const [made, again] = [specsOf(family), specsOf(family)];
  if (JSON.stringify(made) !== JSON.stringify(again))
    yield 'spec gave two specs for one stream: draw all chance from rng';
  for (const { text, parameters, limits } of made) {
    if (!/^[\x20-\x7e\n]{40,2000}$/.test(text)) yield `a text is "${text}": 40 to 2,000 printable ASCII characters`;
    if (!family.parameters.safeParse(parameters).success)
      yield `spec gave ${JSON.stringify(parameters)}, which is not what parameters says`;
    if (!specLimits.safeParse(limits).success) yield `limits are ${JSON.stringify(limits)}: see specLimits`;
  }
  const texts = new Set(made.map(({ text }) => text));
  if (texts.size < 40) yield `60 specs have only ${texts.size} texts: vary the wording, so that the text matters`;
  const openings = new Set(made.map(({ text }) => text.split(/\s+/).slice(0, 4).join(' ')));
  if (openings.size < 5) yield `60 specs begin in only ${openings.size} ways: vary more than the numbers`;
}

const parametersOf = (family: Family): Spec['parameters'][] =>
  [...new Set(specsOf(family).map(({ parameters }) => JSON.stringify(parameters)))]
    .slice(0, 6)
    .map((text) => JSON.parse(text));

function* items(family: Family): Flaws {
  for (const parameters of parametersOf(family)) {
    const of = (seed: string, n = count) => family.items(seed, parameters, n);
    const [one, other] = [of(seeds[0]), of(seeds[1])];
    if (one.length !== count) yield `${count} items were asked for and ${one.length} came`;
    if (JSON.stringify(one) !== JSON.stringify(of(seeds[0])))
      yield 'one seed gave two lists of items: draw all chance from it';
    if (JSON.stringify(one.slice(0, 20)) !== JSON.stringify(of(seeds[0], 20)))
      yield 'the first 20 items are others when only 20 are asked for: draw them one after the other';
    const prompts = new Set(one.map(({ prompt }) => prompt));
    if (prompts.size < count) yield `${count} items have only ${prompts.size} prompts: no prompt twice`;
    const both = other.filter(({ prompt }) => prompts.has(prompt)).length;
    if (both > count / 2) yield `two seeds share ${both} of ${count} prompts: a seed must hide its items`;
    yield* one.flatMap((item) => [...shape(item)]);
  }
}

function* shape({ prompt, answer }: Item): Flaws {
  if (!promptShape.test(prompt)) yield `a prompt is "${prompt}": it must match ${promptShape}`;
  if (!answerShape.test(answer)) yield `an answer is "${answer}": it must match ${answerShape}`;
}

const odd = [
  '',
  ' ',
  'a',
  '>',
  '\n',
  '\0',
  '\ud800',
  'a'.repeat(10_000),
  '{"score":1}',
  '0',
  'NaN',
  'toString',
  '__proto__',
];

function* scores(family: Family): Flaws {
  for (const parameters of parametersOf(family))
    for (const item of family.items(seeds[0], parameters, 40)) {
      const [right, nothing] = [family.score(item, item.answer), family.score(item, '')];
      if (right !== 1) yield `the answer "${item.answer}" is worth ${right}: it must be 1`;
      if (nothing !== 0) yield `nothing at all is worth ${nothing}: it must be 0`;
      yield* odd.flatMap((text) => [...total(family, item, text), ...total(family, item, item.answer + text)]);
    }
}

function* total(family: Family, item: Item, completion: string): Flaws {
  const worth = family.score(item, completion);
  if (!(worth >= 0 && worth <= 1)) yield `${JSON.stringify(completion)} is worth ${worth}: a score is 0 to 1`;
  if (worth !== family.score(item, completion)) yield `${JSON.stringify(completion)} was worth two scores`;
}

/** What can be scored without the skill must not exceed the floor, by more than chance adds in 200 items. */
function* guesses(family: Family): Flaws {
  const allowed = family.floor + 0.06;
  for (const parameters of parametersOf(family)) {
    const all = family.items(seeds[0], parameters, count);
    const rng = stream('conformance', 'guesses');
    const random = () =>
      Array.from({ length: 1 + whole(rng, 6) }, () => 'abcdefghijklmnopqrstuvwxyz'[whole(rng, 26)]).join('');
    const mean = (guess: (item: Item) => string) =>
      all.reduce((sum, item) => sum + family.score(item, guess(item)), 0) / count;
    const tried: [string, number][] = [
      ['the prompt again', mean(({ prompt }) => prompt)],
      ['the prompt without its ">"', mean(({ prompt }) => prompt.slice(0, -1))],
      ['random letters', mean(random)],
      ...[...new Set(all.slice(0, 50).map(({ answer }) => answer))].map((answer): [string, number] => [
        `always "${answer}"`,
        mean(() => answer),
      ]),
    ];
    for (const [guess, worth] of tried)
      if (worth > allowed) yield `${guess} is worth ${worth.toFixed(2)} on average, and the floor is ${family.floor}`;
  }
}
