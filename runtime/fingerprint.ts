import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const counts = /\.(ts|js|wasm|safetensors)$/;

/** What the results of runtime `micro` depend on, as one hash: its code, its kernels, its base models, the sandbox. */
export function microFingerprint(): string {
  const hash = createHash('sha256');
  for (const folder of ['./micro/', './micro/bases/', './environment/'])
    for (const name of readdirSync(new URL(folder, import.meta.url)).toSorted())
      if (counts.test(name))
        hash.update(`${folder}${name}\n`).update(readFileSync(new URL(folder + name, import.meta.url)));
  return hash.digest('hex');
}
