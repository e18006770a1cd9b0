import test from 'ava';
import fc from 'fast-check';
import { cataloguePolicy } from '#protocol/policy';
import { runConfig } from '#protocol/run';
import { type Choice, type PolicyWeights, probabilities } from '#protocol/transcript';
import { catalogue, objective } from '../../services/learner/catalogue.ts';
import type { Lesson } from '../../services/learner/trainer.ts';
import { trainers } from '../../services/learner/trainers.ts';
import { speechless } from '../support/speechless.ts';

const signal = new AbortController().signal;
const config = runConfig.parse({});
const features = ['a', 'b', 'c', 'd'];

const option = fc.record({
  name: fc.string(),
  prior: fc.double({ min: -1, max: 1, noNaN: true }),
  features: fc.dictionary(fc.constantFrom(...features), fc.double({ min: -1, max: 1, noNaN: true })),
});
const weights = fc.dictionary(fc.constantFrom(...features), fc.double({ min: -1, max: 1, noNaN: true }));
/** As a policy of other weights would have chosen. */
const choice = fc
  .record({ options: fc.array(option, { minLength: 2, maxLength: 5 }), old: weights, at: fc.nat() })
  .map(({ options, old, at }): Choice => {
    const chosen = at % options.length;
    return { point: 'p', options, chosen, logprob: Math.log(probabilities(old, options)[chosen] ?? 1) };
  });
const lesson = fc
  .record({ choices: fc.array(choice, { maxLength: 4 }), advantage: fc.double({ min: -1, max: 1, noNaN: true }) })
  .map(({ choices, advantage }): Lesson => {
    const move = { ...speechless, text: '', choices, calls: [], findings: null, experiments: [] };
    return { advantage, transcript: { mind: 'catalogue', policy: 0, moves: [move] } };
  });
const lessons = fc.array(lesson, { minLength: 1, maxLength: 4 });

test('the gradient is that of finite differences', (t) => {
  const h = 1e-6;
  fc.assert(
    fc.property(weights, lessons, fc.constantFrom(...features), (at, some, feature) => {
      const moved = (by: number): PolicyWeights => ({ ...at, [feature]: (at[feature] ?? 0) + by });
      const [low, here, high] = [-h, 0, h].map((by) => objective(moved(by), some).value) as [number, number, number];
      const [left, right] = [(here - low) / h, (high - here) / h];
      // where the clip bends the objective there is no gradient
      fc.pre(Math.abs(left - right) < 1e-3);
      return Math.abs((objective(at, some).gradient.get(feature) ?? 0) - (left + right) / 2) < 1e-3;
    }),
    { numRuns: 300 },
  );
  t.pass();
});

test('a choice whose ratio left the clip teaches nothing more in that direction, and is pulled back', (t) => {
  const options = [
    { name: 'one', prior: 0, features: { a: 1 } },
    { name: 'other', prior: 0, features: {} },
  ];
  const chosen: Choice = { point: 'p', options, chosen: 0, logprob: Math.log(0.5) };
  const slope = (weight: number, advantage: number): number => {
    const move = { ...speechless, text: '', choices: [chosen], calls: [], findings: null, experiments: [] };
    const one: Lesson = { advantage, transcript: { mind: 'catalogue', policy: 0, moves: [move] } };
    return objective({ a: weight }, [one]).gradient.get('a') ?? 0;
  };
  t.true(slope(0, 1) > 0.2);
  t.true(Math.abs(slope(1, 1)) < 0.02);
  t.true(slope(1, -1) < -0.2);
  t.true(Math.abs(slope(-1, -1)) < 0.02);
  t.true(slope(-1, 1) > 0.1);
});

test('a policy diverges by nothing from the one that chose until it has moved, and the more the further it has', (t) => {
  const options = [
    { name: 'a', prior: 0, features: { a: 1 } },
    { name: 'b', prior: 0, features: {} },
  ];
  const choices = [0, 1].map((chosen) => ({ point: 'base', options, chosen, logprob: Math.log(0.5) }));
  const one = {
    transcript: {
      mind: 'catalogue',
      policy: 0,
      moves: [{ ...speechless, text: '', choices, calls: [], findings: null, experiments: [] }],
    },
    advantage: 1,
  };
  const klAt = (a: number): number => objective({ a }, [one]).kl;
  t.is(klAt(0), 0);
  t.true(klAt(1) > 0 && klAt(2) > klAt(1));
});

for (const [name, trainer] of Object.entries(trainers))
  test(`${name}: the same lessons into the same policy give the same policy, bit for bit`, async (t) => {
    const [some] = fc.sample(fc.array(lesson, { minLength: 8, maxLength: 8 }), { numRuns: 1, seed: 5 });
    const play = async () => {
      let policy = await trainer.open(config);
      for (let version = 1; version < 4; version += 1)
        policy = (await trainer.update(policy, { version, position: version, lessons: some ?? [], signal })).policy;
      return Buffer.from(policy).toString('hex');
    };
    t.is(await play(), await play());
  });

test('an update goes uphill, counts itself, and says where in the run it stands', async (t) => {
  const some = fc.sample(fc.array(lesson, { minLength: 8, maxLength: 8 }), { numRuns: 1, seed: 6 })[0] ?? [];
  const opened = await catalogue.open(config);
  const { policy, ...did } = await catalogue.update(opened, { version: 1, position: 4, lessons: some, signal });
  const made = cataloguePolicy.parse(JSON.parse(Buffer.from(policy).toString()));
  t.like(made, { version: 1, position: 4 });
  t.is(made.optimizer.t, 1);
  const { gradient } = objective({}, some);
  t.true([...gradient].reduce((sum, [name, slope]) => sum + slope * (made.weights[name] ?? 0), 0) > 0);
  const { loss, ...shares } = did;
  t.true(Number.isFinite(loss));
  for (const share of Object.values(shares)) t.true(Number.isFinite(share) && share >= 0);
});

test('a step whose episodes all failed changes no weight', async (t) => {
  const opened = await catalogue.open(config);
  const { policy, ...did } = await catalogue.update(opened, { version: 1, position: 4, lessons: [], signal });
  t.deepEqual(cataloguePolicy.parse(JSON.parse(Buffer.from(policy).toString())).weights, {});
  t.deepEqual(did, { ratio: 0, clipped: 0, entropy: 0, kl: 0, gradientNorm: 0, loss: 0 });
});

test('what pays more often is chosen more often', async (t) => {
  const names = ['good', 'bad'];
  const options = names.map((name) => ({ name, prior: 0, features: { [name]: 1 } }));
  let policy = await catalogue.open(config);
  const shares = (): number[] =>
    probabilities(cataloguePolicy.parse(JSON.parse(Buffer.from(policy).toString())).weights, options);
  for (let version = 1; version <= 15; version += 1) {
    const now = shares();
    const some = [0, 1].map((chosen): Lesson => {
      const choices = [{ point: 'p', options, chosen, logprob: Math.log(now[chosen] ?? 1) }];
      const move = { ...speechless, text: '', choices, calls: [], findings: null, experiments: [] };
      return { advantage: chosen === 0 ? 0.25 : -0.25, transcript: { mind: 'catalogue', policy: 0, moves: [move] } };
    });
    policy = (await catalogue.update(policy, { version, position: version, lessons: some, signal })).policy;
  }
  t.true((shares()[0] ?? 0) > 0.9);
});
