import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Bus } from '#kit/bus';
import { sleep } from '#kit/clock';
import { type Present, whoIsThere } from '#kit/roster';
import type { Stack } from './stack.ts';

/** An entry of the file that Prometheus reads: addresses, and the labels of their series. */
interface Target {
  readonly targets: readonly string[];
  readonly labels: { readonly service: string; readonly instance: string };
}

const lookEveryMs = 2_000;

/**
 * Maintains the list of processes with /metrics, as they announce themselves on the bus. `instance` is the launcher's
 * name for a process (`agent-1`, `pod-p2`), so a process that replaces another continues its series.
 */
export async function keepTargets(
  stack: Stack,
  { file, own, signal }: { file: string; own: Target; signal: AbortSignal },
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const bus = await Bus.connect(stack.access('viewer'));
  const closed = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  closed.then(() => bus.nc.close()).catch(() => undefined);
  for (let last = ''; !signal.aborted; ) {
    const there = await whoIsThere(bus, stack.nats === undefined);
    const text = JSON.stringify([own, ...there.flatMap((one) => targetOf(one, stack))], null, 2);
    if (!signal.aborted && text !== last) write(file, text);
    last = text;
    await sleep(lookEveryMs, signal).catch(() => undefined);
  }
}

function targetOf({ name, metadata: { http, pid } }: Present, { programs, pods }: Stack): Target[] {
  if (http === undefined) return [];
  const known = [...programs, ...pods.running()].find((one) => String(one.pid) === pid);
  return [{ targets: [`127.0.0.1:${http}`], labels: { service: name, instance: known?.name ?? `${name}-${pid}` } }];
}

/** Atomic: a reader finds the old list or the new one. */
function write(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
