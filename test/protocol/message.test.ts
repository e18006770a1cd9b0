import test from 'ava';
import fc from 'fast-check';
import { z } from 'zod';
import { act, command, event, parseSubject, patternsOf, seal, token } from '#protocol/message';
import { route } from '#protocol/route';

const body = { run: token, key: token, n: z.int() };
const told = command('told', { from: ['operator'], to: { agent: '{run}.{key}' }, body });
const heard = event('heard', { from: ['agent'], to: { conductor: '{run}.all', learner: 'all.main' }, body });
const doing = act('doing', { from: ['pool'], to: { pod: '{run}.{key}' }, body });

const tokens = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);

test('a subject says who speaks to which instance of whom, and is read back as that', (t) => {
  fc.assert(
    fc.property(tokens, tokens, fc.integer(), (run, key, n) => {
      const [sealed] = seal(told, { run, key, n }, 'operator');
      t.deepEqual(parseSubject(sealed?.subject ?? ''), {
        lane: 'msg',
        to: 'agent',
        address: `${run}.${key}`,
        from: 'operator',
        name: 'told',
      });
    }),
  );
});

test('an event is sealed once for each service that it concerns; an act goes its own lane', (t) => {
  const subjects = seal(heard, { run: 'r1', key: 'k', n: 1 }, 'agent').map(({ subject }) => subject);
  t.deepEqual(subjects, ['msg.conductor.r1.all.agent.heard', 'msg.learner.all.main.agent.heard']);
  t.deepEqual(patternsOf(doing, 'pool'), ['act.pod.*.*.pool.doing']);
});

for (const bad of ['', 'a.b', 'a b', '*', '>', 'é', 'x'.repeat(65), 'a\nb'])
  test(`an address part ${JSON.stringify(bad.slice(0, 8))} is refused`, (t) => {
    t.throws(() => seal(told, { run: 'r1', key: bad, n: 1 }, 'operator'));
    t.is(parseSubject(`msg.agent.r1.${bad}.operator.told`), undefined);
  });

test('a body that does not fit is refused, and so is a field too many', (t) => {
  t.throws(() => seal(told, { run: 'r1', key: 'k', n: 1.5 }, 'operator'));
  t.throws(() => seal(told, Object.assign({ run: 'r1', key: 'k', n: 1 }, { more: true }), 'operator'));
});

test('a message that is addressed by a field which its body lacks cannot be declared', (t) => {
  t.throws(() => command('bad', { from: ['operator'], to: { agent: '{run}.{nothing}' }, body }), {
    message: 'bad is addressed by {nothing}, which its body does not have',
  });
});

test('in the route, names are unique, commands and acts have one receiver, everybody has a sender', (t) => {
  t.is(new Set(route.map(({ name }) => name)).size, route.length);
  for (const { name, kind, from, to } of route) {
    t.true(from.length > 0, name);
    if (kind === 'event') t.true(Object.keys(to).length > 0, name);
    else t.is(Object.keys(to).length, 1, name);
    t.regex(name, /^[a-z]+(-[a-z]+)*$/);
  }
});

test('no pod and no agent may say a time, a number or a reason that nobody could keep', (t) => {
  const unkept: Record<string, unknown[]> = {
    seconds: [1e308, -1, Number.NaN, Number.POSITIVE_INFINITY],
    experiment: [0, 65, 1e15],
    failure: [{ code: 'pod/lost', detail: 'x'.repeat(1e5) }],
  };
  let met = 0;
  for (const { name, from, body: said } of route)
    for (const [field, values] of Object.entries(unkept)) {
      const schema = said instanceof z.ZodObject ? said.shape[field] : undefined;
      if (!schema || !from.some((role) => role === 'pod' || role === 'agent')) continue;
      met += 1;
      for (const value of values) t.false(schema.safeParse(value).success, `${name} may say ${field} ${value}`);
    }
  t.true(met > 5);
});
