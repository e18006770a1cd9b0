import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import type { BodyOf } from '#protocol/message';
import { podReady, type podWarm } from '#protocol/pod';
import { version } from '#protocol/version';
import { type Holding, isMine } from './holding.ts';
import { runtimes } from './runtimes/registry.ts';

/** Edge: shows which versions this pod has, and that it can train, by a small training with each runtime. */
export const warm =
  (holding: Holding) =>
  async (body: BodyOf<typeof podWarm>, call: Call): Promise<void> => {
    if (!isMine(holding, body)) return;
    const versions: Record<string, string> = {};
    let seconds = 0;
    for (const [name, runtime] of Object.entries(runtimes)) {
      const probe = await runtime.train(runtime.probe, { signal: call.signal });
      if (!probe.weights)
        throw new Failed('pod/unfit', `runtime ${name} cannot train its probe: ${probe.fault?.detail}`);
      versions[name] = runtime.version();
      seconds += probe.seconds;
    }
    call.send(podReady, { ...body, version, runtimes: versions, seconds });
  };
