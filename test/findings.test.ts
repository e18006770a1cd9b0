import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { findingCodes } from '#protocol/finding';

test('every code of a finding is named in a test', (t) => {
  const root = fileURLToPath(new URL('.', import.meta.url));
  const tests = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
  const text = tests.map((name) => readFileSync(join(root, name), 'utf8')).join('\n');
  for (const code of Object.keys(findingCodes)) t.true(text.includes(code), `${code} is in no test`);
});
