/**
 * Aborted by Ctrl-C, SIGTERM or a closed terminal. A second Ctrl-C does not wait: what is leashed ends with us. npm passes on
 * what the terminal has sent already, so one Ctrl-C may arrive twice at once.
 */
export function untilTold(): AbortSignal {
  const told = new AbortController();
  let toldAt = Number.POSITIVE_INFINITY;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      if (performance.now() > toldAt + 1_000) process.exit(1);
      toldAt = Math.min(toldAt, performance.now());
      told.abort();
    });
  return told.signal;
}
