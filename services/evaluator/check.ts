import type { Call } from '#kit/actor';
import { episodeOf, type workspaceCheck, workspaceChecked, workspaces } from '#protocol/episode';
import type { BodyOf } from '#protocol/message';
import { prepareThread } from '#runtime/environment/threads';
import { loadBase } from '#runtime/micro/base';
import { catalogue, knownSpec } from './catalogue.ts';
import { checkSeconds } from './metrics.ts';
import { check } from './stages.ts';

/** Edge: the verdict on exactly these bytes. */
export async function checkWorkspace(body: BodyOf<typeof workspaceCheck>, call: Call): Promise<void> {
  const { workspace, transcript, submit } = body;
  const known = knownSpec(body.spec);
  const bytes = await call.blobs.get(workspaces.name, workspace);
  const end = checkSeconds.startTimer();
  const checked = await check(bytes, known, { seed: Number.parseInt(workspace.slice(0, 8), 16), signal: call.signal });
  end();
  call.send(workspaceChecked, { ...episodeOf(body), workspace, transcript, submit, ...checked });
}

/** Reads and starts before the first check what every check needs. */
export async function warmUp(): Promise<void> {
  const bases = new Set([...catalogue.values()].flatMap(({ spec }) => spec.limits.baseModels));
  await Promise.all([prepareThread(), prepareThread(), ...[...bases].map(loadBase)]);
}
