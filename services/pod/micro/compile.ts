import { readFile, writeFile } from 'node:fs/promises';
import { main } from 'assemblyscript/asc';

const folder = new URL('./kernels/', import.meta.url);
const target = new URL('./kernels.wasm', import.meta.url);

/** The kernels (AssemblyScript, kernels/*.as) as a WebAssembly binary. The file kernels.wasm is committed: a test compares. */
export async function compileKernels(): Promise<Uint8Array> {
  const output = new Map<string, Uint8Array>();
  const flags = ['-O3', '--enable', 'simd', '--runtime', 'stub', '--noAssert', '--importMemory', '--disableWarning'];
  const { error, stderr } = await main(['all.ts', ...flags, '--outFile', 'kernels.wasm'], {
    // asc knows only the extension .ts, which tsc would read too
    readFile: (name) => readFile(new URL(name.replace(/\.ts$/, '.as'), folder), 'utf8').catch(() => null),
    writeFile: (name, data) => void output.set(name, Buffer.from(data)),
    listFiles: () => [],
  });
  const binary = output.get('kernels.wasm');
  if (error || !binary) throw new Error(`the kernels do not compile: ${stderr.toString()}`, { cause: error });
  return binary;
}

if (process.argv[1] === import.meta.filename) await writeFile(target, await compileKernels());
