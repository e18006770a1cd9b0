// Makes dist/ out of the sources: what runs at full speed, since a process that translates its own sources takes twice as
// long to start, and so does each of its threads. `npm ci` does this by itself; after a change the sources run as they are
// until `npm run build` is called again.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const dist = new URL('dist/', root);
const sources = ['protocol', 'runtime', 'services', 'deploy', 'grafana', 'test'];

/** @type {(folder: URL) => URL[]} */
const filesUnder = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(new URL(`${entry.name}/`, folder)) : [new URL(entry.name, folder)],
  );
const inputs = () => [
  ...sources.flatMap((folder) => filesUnder(new URL(`${folder}/`, root))),
  new URL('package.json', root),
];
/** Which files there are, and when each was written last. */
const stampOf = () =>
  inputs()
    .map((file) => `${file.href.slice(root.href.length)} ${statSync(file).mtimeMs}`)
    .join('\n');

/** What the sources were when dist/ was made of them; none: it was not. */
const builtOf = () => {
  try {
    return readFileSync(new URL('stamp', dist), 'utf8');
  } catch {
    return undefined;
  }
};
/** @type {(stamp: string | undefined) => string | undefined} */
const withoutTests = (stamp) => stamp?.replace(/^test\/.*\n/gm, '');

/** Whether what runs is what the sources are now. An image has no sources to compare with: it is what it is. */
export const isBuilt = () => builtOf() === 'image' || withoutTests(builtOf()) === withoutTests(stampOf());

function build() {
  const stamp = stampOf();
  rmSync(dist, { recursive: true, force: true });
  const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  for (const file of inputs())
    if (!/\.(ts|json)$/.test(file.pathname)) cpSync(file, new URL(file.href.slice(root.href.length), dist));
  const { type, version, imports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const built = Object.fromEntries(
    Object.entries(imports).map(([name, path]) => [name, String(path).replace(/\.ts$/, '.js')]),
  );
  writeFileSync(new URL('package.json', dist), `${JSON.stringify({ type, version, imports: built }, null, 2)}\n`);
  writeFileSync(new URL('stamp', dist), stamp);
}

if (process.argv[1] === fileURLToPath(import.meta.url) && builtOf() !== stampOf()) build();
