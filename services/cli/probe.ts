import { randomBytes } from 'node:crypto';
import type { Bus } from '#kit/bus';
import { sleep } from '#kit/clock';
import { tell } from '#kit/tell';
import { getValue } from '#kit/values';
import { type ProbeResult, probeResult, probeStart } from '#protocol/probe';

export interface Probed {
  readonly probe: string;
  readonly result: ProbeResult;
  /** From the mail of the conductor until it is there again, by the clock of the server; NaN: it is not. */
  readonly milliseconds: number;
}

/** Sends a probe along the route and waits until it has ended. */
export async function probeRoute(bus: Bus, seconds: number): Promise<Probed> {
  const probe = randomBytes(9).toString('base64url');
  const began = performance.now();
  await tell(bus, probeStart, { probe, seconds });
  for (;;) {
    const result = await getValue(bus, probeResult, `probe.${probe}`);
    if (result && result.phase !== 'travelling') return { probe, result, milliseconds: timeOf(result) };
    if (performance.now() - began > (seconds + 5) * 1000)
      return { probe, result: unheard(probe), milliseconds: Number.NaN };
    await sleep(20);
  }
}

const timeOf = ({ phase, seen }: ProbeResult): number =>
  phase === 'home' ? (seen.at(-1)?.at ?? Number.NaN) - (seen[0]?.at ?? Number.NaN) : Number.NaN;

const unheard = (probe: string): ProbeResult => ({
  version: 0,
  phase: 'lost',
  seen: [],
  failure: { code: 'route/probe-lost', detail: `the conductor never ended probe ${probe}: is one running?` },
});

/** Each hop of a probe that came home, milliseconds from mail to mail. */
export const hopsOf = ({ seen }: ProbeResult): { from: string; to: string; milliseconds: number }[] =>
  seen.slice(1).map(({ service, at }, index) => {
    const before = seen[index] ?? { service: '', at };
    return { from: before.service, to: service, milliseconds: at - before.at };
  });
