// The key of an endpoint: it is sent there, and is nowhere else, whatever the endpoint says.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { toFailure } from '#kit/boundary';
import { ConfigError, readConfig } from '#kit/config';
import { knobs } from '../../../services/agent/config.ts';
import { access, keepAccess } from '../../../services/agent/openai/access.ts';
import { openai } from '../../../services/agent/openai/mind.ts';
import type { Mishap } from '../../support/endpoint/server.ts';
import { afresh, at, call, endpointAt, play, saying, transcriptOf } from './play.ts';

const key = 'sk-do-not-tell-0123456789';
const from = (env: Record<string, string>): string | undefined => {
  keepAccess(readConfig('agent', knobs, { env }), env);
  return access().key;
};
function fileWith(t: ExecutionContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'uplift-key-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'key'), text);
  return join(folder, 'key');
}

test.serial('it comes from a variable of its own, else from a file, else from OPENAI_API_KEY', (t) => {
  const file = fileWith(t, `${key}-file\n`);
  const all = { UPLIFT_AGENT_MIND_KEY: key, UPLIFT_AGENT_MIND_KEY_FILE: file, OPENAI_API_KEY: 'other' };
  t.is(from(all), key);
  t.is(from({ ...all, UPLIFT_AGENT_MIND_KEY: '' }), `${key}-file`);
  t.is(from({ OPENAI_API_KEY: ' other\n' }), 'other');
  t.is(from({}), undefined);
});

test.serial('a key that cannot be one is refused without being quoted', (t) => {
  for (const wrong of [`${key} and more`, `${key}\nX-Header: 1`, `${key}é`]) {
    const error = t.throws(() => from({ UPLIFT_AGENT_MIND_KEY: wrong }), { instanceOf: ConfigError });
    t.false(error?.message.includes('sk-do'), error?.message);
  }
  t.throws(() => from({ UPLIFT_AGENT_MIND_KEY_FILE: '/nowhere/key' }), {
    message: /mindKeyFile is "\/nowhere\/key": ENOENT/,
  });
});

/** Ways in which an endpoint may say the key again; its server puts it into every error. */
const echoes: Record<string, Mishap | undefined> = {
  'in a refusal': { status: 403 },
  'in errors that pass': { status: 429 },
  'in the name of another model': { otherModel: `x-${key}` },
  'in an answer': undefined,
};
for (const [name, wrong] of Object.entries(echoes))
  test.serial(`an endpoint that says the key ${name} tells it to nobody`, async (t) => {
    afresh({ mindKey: key, answerSeconds: 1 });
    const told = {
      ...{ text: `Your key is ${key}.`, thinking: `Why ${key}?` },
      calls: [call('write_file', { file: key, text: key }), call(key, { [key]: key })],
    };
    const server = await saying(t, [told, { text: key, refusal: key }], { key, mishap: () => wrong });
    const all: unknown[] = [await openai.check(endpointAt(server), new AbortController().signal)];
    try {
      all.push(transcriptOf(await play(at(server), 2)));
    } catch (error) {
      all.push(toFailure(error), String(error instanceof Error ? error.stack : error));
    }
    const text = JSON.stringify(all);
    const found = text.indexOf('sk-do-not-tell');
    t.is(found, -1, text.slice(Math.max(0, found - 200), found + 50));
    if (name === 'in an answer') t.true(text.includes('Your key is [key].'));
    t.false(JSON.stringify(server.requests.slice(1)).includes('sk-do-not-tell'), 'it is not sent as a message either');
  });

test.serial('a wrong key that an endpoint quotes is not quoted here', async (t) => {
  afresh({ mindKey: key });
  const server = await saying(t, [], { key: 'another-key-0001' });
  const error = await t.throwsAsync(openai.check(endpointAt(server), new AbortController().signal));
  t.regex(error?.message ?? '', /answered 401.*incorrect key: Bearer \[key\]/s);
});
