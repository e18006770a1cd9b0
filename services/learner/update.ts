import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import { transcripts } from '#protocol/episode';
import type { BodyOf } from '#protocol/message';
import {
  policies,
  type policyOpen,
  policyOpened,
  type policyUpdate,
  policyUpdated,
  type Sample,
} from '#protocol/policy';
import { transcript } from '#protocol/transcript';
import type { Lesson } from './trainer.ts';
import { trainers } from './trainers.ts';

/** Edge: makes the first policy of a run. */
export async function openPolicy({ run, config }: BodyOf<typeof policyOpen>, call: Call): Promise<void> {
  const blob = await call.blobs.put(policies.name, await trainers[config.trainer].open(config));
  call.send(policyOpened, { run, version: 0, blob, config });
}

/** Edge: makes one update. Making it again stores the same policy. */
export async function updatePolicy(body: BodyOf<typeof policyUpdate>, call: Call): Promise<void> {
  const { run, version, blob, trainer, groups, samples } = body;
  const policy = await call.blobs.get(policies.name, blob);
  const lessons: Lesson[] = [];
  for (const sample of samples) lessons.push(await lessonOf(sample, call));
  const next = { version: version + 1, position: groups, lessons, signal: call.signal };
  const { policy: made, ...did } = await trainers[trainer].update(policy, next);
  const ages = samples.map((sample) => version - sample.policy);
  call.send(policyUpdated, {
    run,
    version: version + 1,
    blob: await call.blobs.put(policies.name, made),
    ...did,
    samples: samples.length,
    stalenessMax: Math.max(0, ...ages),
  });
}

async function lessonOf({ transcript: hash, advantage }: Sample, call: Call): Promise<Lesson> {
  const bytes = await call.blobs.get(transcripts.name, hash);
  const read = transcript.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  if (read.success) return { transcript: read.data, advantage };
  throw new Failed('edge/refused', `the blob ${hash} is not a transcript: ${read.error.issues[0]?.message}`);
}
