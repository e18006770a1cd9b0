import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import type { BodyOf } from '#protocol/message';
import { podReady, type podWarm } from '#protocol/pod';
import { version } from '#protocol/version';
import { type Holding, isMine } from './holding.ts';
import { runtimes } from './runtimes/registry.ts';

/** Edge: reports the versions of this pod, and proves that it can train, by a small training on each runtime. */
export const warm =
  (holding: Holding) =>
  async (body: BodyOf<typeof podWarm>, call: Call): Promise<void> => {
    if (!isMine(holding, body)) return;
    const versions: Record<string, string> = {};
    let seconds = 0;
    for (const [name, runtime] of Object.entries(runtimes)) {
      const trained = await runtime.train(runtime.selfTest, { signal: call.signal });
      if (!trained.weights)
        throw new Failed('pod/unfit', `runtime ${name} failed its self-test: ${trained.fault?.detail}`);
      versions[name] = runtime.version();
      seconds += trained.seconds;
    }
    call.send(podReady, { ...body, version, runtimes: versions, seconds });
  };
