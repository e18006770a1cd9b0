#!/usr/bin/env node
// In a checkout the sources are run as they are, by tsx; in an image, what `npm run build` made of them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = new URL('../services/cli/main.ts', import.meta.url);
if (existsSync(source)) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(source.href);
} else {
  const built = fileURLToPath(new URL('../dist/services/cli/main.js', import.meta.url));
  const { status } = spawnSync(process.execPath, ['--conditions', 'built', built, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
