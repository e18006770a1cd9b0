// Compiles the kernels (AssemblyScript, kernels/*.as) to kernels.wasm, which is committed: only who changes a kernel
// needs the compiler, so npx fetches it and it is no dependency. Run: npm run micro:kernels
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMPILER = 'assemblyscript@0.28.20';
const FLAGS = ['-O3', '--enable', 'simd', '--runtime', 'stub', '--noAssert', '--importMemory', '--disableWarning'];
const folder = new URL('./kernels/', import.meta.url);
const target = new URL('./kernels.wasm', import.meta.url);

/** The custom section of kernels.wasm that holds sourceHash(), by which a test knows that the two belong together. */
export const SOURCE_SECTION = 'source';

function sources(): [name: string, text: string][] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]);
}

/** SHA-256 of the compiler, its flags and the kernels' sources. */
export function sourceHash(): string {
  const text = JSON.stringify([COMPILER, FLAGS, sources()]);
  return createHash('sha256').update(text).digest('hex');
}

function compile(): Uint8Array {
  const work = mkdtempSync(join(tmpdir(), 'micro-kernels-'));
  try {
    // asc reads only *.ts, which here would be taken for TypeScript
    for (const [name, text] of sources()) writeFileSync(join(work, name.replace(/\.as$/, '.ts')), text);
    const output = join(work, 'kernels.wasm');
    const args = ['--yes', `--package=${COMPILER}`, 'asc', join(work, 'all.ts'), ...FLAGS, '--outFile', output];
    execFileSync('npx', args, { stdio: 'inherit' });
    return readFileSync(output);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** A custom section: id 0, its size, the length of its name, name and content; all lengths below 128 (one byte). */
function section(name: string, content: string): Uint8Array {
  return Buffer.from([0, 1 + name.length + content.length, name.length, ...Buffer.from(name + content)]);
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(target, Buffer.concat([compile(), section(SOURCE_SECTION, sourceHash())]));
}
