import test from 'ava';
import { spec as publicSpec } from '#protocol/run';
import { catalogue, knownSpec } from '../../services/evaluator/catalogue.ts';
import { families } from '../../services/evaluator/families.ts';
import { fingerprintOf, hiddenItems } from '../../services/evaluator/measure.ts';
import { keepSecret, secretId, seedOf } from '../../services/evaluator/secret.ts';
import { specOf } from './support/story.ts';

const specs = [...catalogue.values()];
test.beforeEach(() => keepSecret('a secret of this test'));

test('there are six specs of a training family, four of a held-out one and two of the impossible one', (t) => {
  const wanted = { training: 6, 'held-out': 4, impossible: 2 };
  for (const { name, use } of families)
    t.is(specs.filter(({ spec }) => spec.family === name && spec.use === use).length, wanted[use], name);
});

test('a spec has an id that tells nothing, words of its own, and limits that its text quotes', (t) => {
  t.is(new Set(specs.map(({ spec }) => spec.text)).size, specs.length);
  for (const { spec } of specs) {
    t.deepEqual(publicSpec.parse(spec), spec);
    t.regex(spec.id, /^s[0-9a-f]{11}$/);
    t.deepEqual(spec.limits, { steps: 60, seconds: 30, baseModels: ['micro-s', 'micro-m'], experiments: 4 });
    t.true(spec.text.includes('60') && spec.text.includes('30'));
  }
});

test('what no base model ever does is asked for by no spec', (t) => {
  for (const { parameters } of specs) t.true(parameters.places === undefined || parameters.places === 1);
  for (const known of specs) for (const { prompt } of hiddenItems(known)) t.regex(prompt, /^[a-z]{3,5}>$/);
});

test('a spec that is not in the catalogue is a failure that says so', (t) => {
  const error = t.throws(() => knownSpec('nothing')) as Error & { code: string };
  t.is(error.code, 'evaluator/unknown-spec');
  t.regex(error.message, /no spec is named "nothing"/);
});

test('probe and hidden items are drawn from two seeds, and the secret is none of them', async (t) => {
  const known = specOf('reverse');
  const splits = (['probe', 'hidden'] as const).map(seedOf);
  t.is(new Set([...splits, secretId(), 'a secret of this test']).size, 4);
  const [probe, hidden] = splits.map((seed) =>
    known.family.items(seed, known.parameters, 100).map(({ prompt }) => prompt),
  );
  t.true((probe ?? []).filter((prompt) => hidden?.includes(prompt)).length < 10);
  const items = hiddenItems(known);
  const fingerprint = await fingerprintOf(known);
  t.is(await fingerprintOf(known), fingerprint);
  keepSecret('another secret of this test');
  t.notDeepEqual(hiddenItems(known), items);
  t.not(await fingerprintOf(known), fingerprint);
});
