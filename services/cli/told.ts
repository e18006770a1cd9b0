/**
 * A signal that is aborted by Ctrl-C, SIGTERM or a closed terminal. A second Ctrl-C exits at once, and leashed
 * processes end too. npm forwards a signal that the terminal has already sent, so one Ctrl-C may arrive twice: within a
 * second it counts once.
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
