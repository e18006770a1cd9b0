#!/usr/bin/env node
// Runs what `npm run build` made of the sources, or the sources themselves where they are newer.
import { isBuilt } from './build.js';

if (isBuilt()) await import('../dist/services/cli/main.js');
else {
  const { register } = await import('tsx/esm/api');
  register();
  await import('../services/cli/main.ts');
}
