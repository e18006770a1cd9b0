import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import { episodeOf, type workspaceCheck, workspaceChecked, workspaces } from '#protocol/episode';
import { type experimentCheck, experimentChecked, experimentEnded } from '#protocol/experiment';
import type { BodyOf } from '#protocol/message';
import { prepareThread } from '#runtime/environment/threads';
import { loadBase } from '#runtime/micro/base';
import { catalogue, knownSpec } from './catalogue.ts';
import { checkSeconds, findings as counted } from './metrics.ts';
import { type Checked, check } from './stages.ts';

/** Edge: the verdict on exactly these bytes. */
export async function checkWorkspace(body: BodyOf<typeof workspaceCheck>, call: Call): Promise<void> {
  const { workspace, transcript, submit } = body;
  const checked = await stagesOf(body, call);
  call.send(workspaceChecked, { ...episodeOf(body), workspace, transcript, submit, ...checked });
}

/** Edge: the same for an experiment, which is only told of what is wrong with it. */
export async function checkExperiment(body: BodyOf<typeof experimentCheck>, call: Call): Promise<void> {
  const { experiment, workspace } = body;
  const most = knownSpec(body.spec).spec.limits.experiments;
  if (experiment > most)
    throw new Failed('edge/refused', `experiment ${experiment} of an episode: ${most} are the most, submit the best`);
  const { findings, job } = await stagesOf(body, call);
  if (job) call.send(experimentChecked, { ...episodeOf(body), experiment, workspace, job });
  else call.send(experimentEnded, { ...episodeOf(body), result: { outcome: 'invalid', experiment, findings } });
}

async function stagesOf({ spec, workspace }: { spec: string; workspace: string }, call: Call): Promise<Checked> {
  const known = knownSpec(spec);
  const bytes = await call.blobs.get(workspaces.name, workspace);
  const end = checkSeconds.startTimer();
  const checked = await check(bytes, known, { seed: Number.parseInt(workspace.slice(0, 8), 16), signal: call.signal });
  end();
  for (const { code } of checked.findings) counted.inc({ code });
  return checked;
}

/** Reads and starts before the first check what every check needs. */
export async function warmUp(): Promise<void> {
  const bases = new Set([...catalogue.values()].flatMap(({ spec }) => spec.limits.baseModels));
  await Promise.all([prepareThread(), prepareThread(), ...[...bases].map(loadBase)]);
}
