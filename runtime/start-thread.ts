import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Of a checkout the sources run, by tsx, which a thread has to be told; of an image what tsc made of them. */
export function startThread(module: URL, options: WorkerOptions = {}): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL(`${module.href}.js`), options);
  const [tsx, main] = [import.meta.resolve('tsx/esm/api'), `${module.href}.ts`].map((url) => JSON.stringify(url));
  const code = `import(${tsx}).then(({ register }) => (register(), import(${main})))`;
  return new Worker(code, { ...options, eval: true });
}
