import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { findPrometheus, PrometheusMissing, type PrometheusPrograms } from '../../deploy/prometheus/install.ts';
import { root } from './root.ts';

const home = join(root, '.uplift');

/** Fetched once into `.uplift/bin`. Undefined, and said aloud, where none can be had: then nothing of it is checked here. */
export async function prometheusHere(t: ExecutionContext): Promise<PrometheusPrograms | undefined> {
  return await findPrometheus({ home, env: process.env }).catch((error) => {
    if (!(error instanceof PrometheusMissing)) throw error;
    t.log(`NOT CHECKED: ${error.message}`);
    return undefined;
  });
}
