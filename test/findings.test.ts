import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { findingCodes } from '#protocol/finding';
import { root } from './support/root.ts';

test('every code of a finding is named in a test', (t) => {
  const folder = join(root, 'test');
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
  const text = tests.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  for (const code of Object.keys(findingCodes)) t.true(text.includes(code), `${code} is in no test`);
});
