import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import { episodeOf, type workspaceCheck, workspaceChecked, workspaces } from '#protocol/episode';
import { type experimentCheck, experimentChecked, experimentEnded } from '#protocol/experiment';
import type { BodyOf } from '#protocol/message';
import { prepareThread } from '#runtime/environment/threads';
import { loadBase } from '#runtime/micro/base';
import { catalogue, knownSpec } from './catalogue.ts';
import { checkSeconds } from './metrics.ts';
import { type Checked, check } from './stages.ts';

/** Edge: validates a workspace. */
export async function checkWorkspace(body: BodyOf<typeof workspaceCheck>, call: Call): Promise<void> {
  const { workspace, transcript, submit } = body;
  const checked = await stagesOf(body, call);
  call.send(workspaceChecked, { ...episodeOf(body), workspace, transcript, submit, ...checked });
}

/** Edge: validates the workspace of an experiment. */
export async function checkExperiment(body: BodyOf<typeof experimentCheck>, call: Call): Promise<void> {
  const { experiment, workspace } = body;
  const most = knownSpec(body.spec).spec.limits.experiments;
  if (experiment > most)
    throw new Failed(
      'edge/refused',
      `experiment ${experiment} of an episode: at most ${most} are allowed, submit the best of them`,
    );
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
  return checked;
}

/** Loads what every check needs, before the first one. */
export async function warmUp(): Promise<void> {
  const bases = new Set([...catalogue.values()].flatMap(({ spec }) => spec.limits.baseModels));
  await Promise.all([prepareThread(), prepareThread(), ...[...bases].map(loadBase)]);
}
