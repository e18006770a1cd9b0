import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { ConfigError, commonKnobs, readConfig } from '#kit/config';

const knobs = { ...commonKnobs, maxPods: z.int().min(1).default(2), region: z.string().default('here') };
type Env = Record<string, string>;

const read = (env: Env, file?: string) => readConfig('pool', knobs, { env, file });

function fileWith(t: ExecutionContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'uplift-config-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'uplift.toml');
  writeFileSync(file, text);
  return file;
}

test('defaults, then the file, then the environment', (t) => {
  const file = fileWith(t, 'drainSeconds = 3\n[pool]\nmaxPods = 4\nregion = "there"\n[agent]\nanything = 1\n');
  t.like(read({}), { maxPods: 2, drainSeconds: 8, region: 'here' });
  t.like(read({}, file), { maxPods: 4, drainSeconds: 3, region: 'there' });
  t.like(read({ UPLIFT_POOL_MAX_PODS: '6', UPLIFT_DRAIN_SECONDS: '1.5', UPLIFT_POOL_REGION: '12' }, file), {
    maxPods: 6,
    drainSeconds: 1.5,
    region: '12',
  });
});

test('what another service, a test or the launcher is told does not concern this one', (t) => {
  const env = {
    UPLIFT_AGENT_SLOTS: '3',
    UPLIFT_HOME: '/somewhere',
    UPLIFT_TEST_SOAK: '1',
    UPLIFT_LOG_LEVEL: 'warn',
    PATH: '/bin',
  };
  t.is(read(env).maxPods, 2);
});

test('a configuration cannot be changed once read', (t) => {
  const config = read({});
  t.throws(() => Object.assign(config, { maxPods: 9 }), { instanceOf: TypeError });
});

const refused: [string, Env, string, RegExp][] = [
  [
    'an unknown variable names the nearest known',
    { UPLIFT_POOL_MAX_POD: '3' },
    '',
    /UPLIFT_POOL_MAX_POD is not known here; did you mean "UPLIFT_POOL_MAX_PODS"\?/,
  ],
  ['an unknown common variable too', { UPLIFT_DRAIN_SECOND: '3' }, '', /did you mean "UPLIFT_DRAIN_SECONDS"\?/],
  ['an unknown key of the table', {}, '[pool]\nmaxpods = 3', /maxpods is not known here; did you mean "maxPods"\?/],
  ['an unknown key at the top', {}, 'drainseconds = 3', /did you mean "drainSeconds"\?/],
  ['an unknown table', {}, '[pol]\nmaxPods = 3', /\[pol\] is not known here; did you mean "pool"\?/],
  ['a wrong type quotes the value', { UPLIFT_POOL_MAX_PODS: 'many' }, '', /pool: maxPods is "many": .*expected/],
  ['a value out of range', { UPLIFT_HTTP_PORT: '70000' }, '', /httpPort is 70000: /],
  ['what is no number', {}, 'drainSeconds = nan', /drainSeconds is NaN: /],
  ['a date where a text is meant', {}, 'natsUrl = 2020-01-01', /natsUrl is "2020-01-01": /],
  [
    'what is near to nothing names all that is known',
    { UPLIFT_XQZWV: '1' },
    '',
    /UPLIFT_XQZWV .* known are UPLIFT_NATS_URL,/,
  ],
  ['a key named as what every object has', {}, 'toString = 1', /toString is not known here; known are natsUrl,/],
  ['a table named so', {}, '[valueOf]\nx = 1', /\[valueOf\] is not known here; known are conductor,/],
  ['a key of the table named so', {}, '[pool]\nvalueOf = 1', /valueOf is not known here; known are /],
  ['a key named __proto__', {}, '"__proto__" = 1', /__proto__ is not known here; known are /],
  ['what is not TOML names the file', {}, 'maxPods = = 3', /uplift\.toml: /],
];
for (const [name, env, text, says] of refused)
  test(`refused: ${name}`, (t) => {
    const file = text === '' ? undefined : fileWith(t, text);
    t.throws(() => read(env, file), { instanceOf: ConfigError, message: says });
  });

test('refused: a file that is not there', (t) => {
  t.throws(() => read({}, '/nowhere/uplift.toml'), { instanceOf: ConfigError, message: /\/nowhere\/uplift\.toml/ });
});
