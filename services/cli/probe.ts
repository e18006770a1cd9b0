import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { Bus } from '#kit/bus';
import { sleep } from '#kit/clock';
import { tell } from '#kit/tell';
import { getValue } from '#kit/values';
import { type ProbeResult, probeResult, probeStart } from '#protocol/probe';
import { withStack } from './open.ts';
import { examples, positive } from './options.ts';
import { red, say, sayJson, warn } from './say.ts';

interface Probed {
  readonly probe: string;
  readonly result: ProbeResult;
  /** From the conductor's mail until it is there again, by the server's clock; NaN: it did not come home. */
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
  failure: {
    code: 'route/probe-lost',
    detail: `the conductor never ended probe ${probe}: "npx uplift ps" shows whether it is running`,
  },
});

/** Each hop of a probe that came home, milliseconds from mail to mail. */
export const hopsOf = ({ seen }: ProbeResult): { from: string; to: string; milliseconds: number }[] =>
  seen.slice(1).map(({ service, at }, index) => {
    const before = seen[index] ?? { service: '', at };
    return { from: before.service, to: service, milliseconds: at - before.at };
  });

export function addProbe(program: Command): void {
  program
    .command('probe')
    .description('send probes along the route of an episode, one after the other, and time each hop')
    .option('--count <N>', 'how many', '1')
    .option('--seconds <S>', 'how long each may take', '30')
    .option('--json', 'for programs: one document for each probe', false)
    .addHelpText('after', examples(['uplift probe --count 20', 'how long the route takes, hop by hop, twenty times']))
    .action(async ({ json, ...options }: { count: string; seconds: string; json: boolean }) => {
      const [count, seconds] = [positive('--count', options.count), positive('--seconds', options.seconds)];
      await withStack('operator', async (bus) => {
        for (let n = 0; n < count; n += 1) show(await probeRoute(bus, seconds), json);
      });
    });
}

function show({ probe, result, milliseconds }: Probed, json: boolean): void {
  const hops = hopsOf(result);
  if (json) sayJson({ probe, ...result, milliseconds, hops });
  else if (result.phase === 'home')
    say(`home in ${milliseconds.toFixed(1)} ms: ${hops.map((hop) => `${hop.to} ${hop.milliseconds}`).join(' · ')}`);
  if (result.phase === 'home') return;
  process.exitCode = 1;
  warn(red(`lost: ${result.failure?.code}: ${result.failure?.detail}`));
}
