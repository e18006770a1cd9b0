#!/usr/bin/env node
// In a checkout the sources are run as they are, by tsx; in an image, what tsc made of them.
import { existsSync } from 'node:fs';

const source = new URL('../services/cli/main.ts', import.meta.url);
if (existsSync(source)) {
  const { register } = await import('tsx/esm/api');
  register();
  await import(source.href);
} else {
  await import(new URL('../services/cli/main.js', import.meta.url).href);
}
