import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { papers } from './support/papers.ts';
import { root } from './support/root.ts';

const { dependencies, devDependencies, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

test('the tables in ARCHITECTURE.md are what the code says today ("npm run papers" rewrites them)', (t) => {
  const { is, should } = papers();
  t.is(is, should);
});

test('every dependency has its line of reason in ARCHITECTURE.md, and an exact version', (t) => {
  const { is } = papers();
  for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
    t.regex(version, /^\d+\.\d+\.\d+$/, name);
    t.true(is.includes(`\`${name}\``), `${name} has no reason in ARCHITECTURE.md`);
  }
});

for (const paper of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])
  test(`${paper} names only files and scripts that are there`, (t) => {
    const text = readFileSync(join(root, paper), 'utf8');
    for (const [, path = ''] of text.matchAll(/`((?:protocol|services|deploy|test)\/[\w./-]+)`/g))
      t.true(existsSync(join(root, path)), path);
    for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) t.true(script in scripts, script);
    t.pass();
  });
