import { arch, availableParallelism, platform, totalmem } from 'node:os';
import type { Call } from '#kit/actor';
import { pack } from '#kit/wire';
import type { BodyOf } from '#protocol/message';
import { passedOn, probeBlobs, probeEvaluator, type probePod } from '#protocol/probe';

/** Edge: stores a description of this machine as a blob, which the evaluator must be able to read. */
export async function describeMachine(probe: BodyOf<typeof probePod>, call: Call): Promise<void> {
  const facts = {
    node: process.version,
    platform: platform(),
    arch: arch(),
    cores: availableParallelism(),
    memoryBytes: totalmem(),
  };
  const blob = await call.blobs.put(probeBlobs.name, pack(facts));
  const { probe: name, seen } = probe;
  call.send(probeEvaluator, { ...passedOn({ probe: name, seen }, 'pod', call.now), blob });
}
