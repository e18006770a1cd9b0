import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import { episodeOf, transcripts, workspaces } from '#protocol/episode';
import type { BodyOf } from '#protocol/message';
import { noUsage } from '#protocol/mind';
import { moveMade, type moveWanted, type next } from '#protocol/move';
import { policies } from '#protocol/policy';
import { type Move, type ToolCall, type Transcript, transcript } from '#protocol/transcript';
import { baseline } from '#protocol/verdict';
import { type Workspace, workspace } from '#protocol/workspace';
import { movesMade, toolCalls } from './metrics.ts';
import type { Asked, Decision } from './mind.ts';
import { mindOf } from './minds.ts';
import { fileTools, isFileTool } from './tools.ts';

type Wanted = BodyOf<typeof moveWanted>;
type Next = (typeof next)['_output'];

/** Edge: asks the mind for one move and makes it. Making the same move again stores the same blobs. */
export async function makeMove(wanted: Wanted, call: Call): Promise<void> {
  const mind = mindOf(wanted.mind);
  const before = await transcriptOf(wanted, call);
  const files = await filesOf(wanted, call);
  const decision = await mind.decide({
    episode: `${wanted.run}.${wanted.episode}`,
    seed: wanted.seed,
    task: wanted.task,
    endpoint: wanted.endpoint,
    allowance: wanted.allowance,
    version: wanted.policy,
    policy: () => call.blobs.get(policies.name, wanted.policyBlob),
    moves: before.moves,
    files,
    findings: wanted.findings,
    experiments: wanted.experiments,
    begun: wanted.begun,
    signal: call.signal,
  });
  const used = await use(decision, files, { wanted, call });
  const { text, thinking = '', choices, model = null, usage = noUsage, sampled = null } = decision;
  const { findings, experiments } = wanted;
  const said = { text, thinking, choices: [...choices], model, usage, sampled };
  const move: Move = { ...said, calls: used.calls, findings, experiments };
  movesMade.inc({ next: used.next });
  call.send(moveMade, {
    ...episodeOf(wanted),
    move: wanted.move,
    transcript: await store(call, transcripts.name, { ...before, moves: [...before.moves, move] }),
    workspace: await store(call, workspaces.name, used.files),
    experiments: used.experiments,
    next: used.next,
  });
}

interface At {
  readonly wanted: Wanted;
  readonly call: Call;
}
/** A move in the making. */
interface Made {
  files: Workspace;
  readonly calls: ToolCall[];
  readonly experiments: BodyOf<typeof moveMade>['experiments'];
  next: Next;
}

const endings: Readonly<Record<string, Next | undefined>> = {
  await_experiments: 'await',
  validate: 'validate',
  submit: 'submit',
  finish: 'finish',
};

/** Calls tools one after another. What ends a move is not done here but by the actor. */
async function use({ calls }: Decision, files: Workspace, at: At): Promise<Made> {
  const made: Made = { files, calls: [], experiments: [], next: 'go on' };
  for (const asked of calls) {
    toolCalls.inc({ tool: asked.tool });
    const ends = endings[asked.tool];
    made.next = ends ?? 'go on';
    made.calls.push({ ...asked, result: ends ? null : await useOne(asked, made, at) });
    if (ends) break;
  }
  return made;
}

async function useOne({ tool, input }: Asked, made: Made, { wanted, call }: At): Promise<string> {
  if (isFileTool(tool)) {
    const { files, result } = fileTools[tool](made.files, input);
    made.files = files;
    return result;
  }
  if (tool === 'run_experiment') return await beginExperiment(made, { wanted, call });
  const found = await call.read(baseline, `baseline.${wanted.spec}`);
  return found ? scoresOf(found.scores) : `no base model has been measured on "${wanted.spec}" yet: try again later`;
}

/** An experiment on the files as they are now; the actor sends it off when the move is made. */
async function beginExperiment({ files, experiments }: Made, { wanted, call }: At): Promise<string> {
  const experiment = wanted.begun + experiments.length + 1;
  const most = wanted.task.limits.experiments;
  if (experiment > most) return `this task allows ${most} experiments, and all have been used: submit the best of them`;
  experiments.push({ experiment, workspace: await store(call, workspaces.name, files) });
  return `experiment ${experiment} is under way: await_experiments waits for its result`;
}

const scoresOf = (scores: Readonly<Record<string, readonly number[]>>): string =>
  Object.entries(scores)
    .map(([base, each]) => `${base}: ${(each.reduce((sum, one) => sum + one, 0) / each.length).toFixed(3)}`)
    .join('\n');

async function transcriptOf(wanted: Wanted, call: Call): Promise<Transcript> {
  if (wanted.transcript === null) return { mind: wanted.mind, policy: wanted.policy, moves: [] };
  return parse(transcript, await call.blobs.get(transcripts.name, wanted.transcript), wanted.transcript);
}

async function filesOf(wanted: Wanted, call: Call): Promise<Workspace> {
  if (wanted.workspace === null) return {};
  return parse(workspace, await call.blobs.get(workspaces.name, wanted.workspace), wanted.workspace);
}

interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false };
}

function parse<T>(schema: Schema<T>, bytes: Uint8Array, hash: string): T {
  const read = schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  if (read.success) return read.data;
  throw new Failed('edge/refused', `the blob ${hash} was not left by a move of this version`);
}

const store = (call: Call, name: string, value: Transcript | Workspace): Promise<string> =>
  call.blobs.put(name, Buffer.from(JSON.stringify(value)));
