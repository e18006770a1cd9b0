import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import { episodeOf, moveMade, type moveWanted, type next, transcripts, workspaces } from '#protocol/episode';
import type { BodyOf } from '#protocol/message';
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

/** Edge: asks the mind for one move and makes it. The same move made again leaves the same blobs. */
export async function makeMove(wanted: Wanted, call: Call): Promise<void> {
  const mind = mindOf(wanted.mind);
  const before = await transcriptOf(wanted, call);
  const files = await filesOf(wanted, call);
  const decision = await mind.decide({
    episode: `${wanted.run}.${wanted.episode}`,
    seed: wanted.seed,
    task: wanted.task,
    policy: () => call.blobs.get(policies.name, wanted.policyBlob),
    moves: before.moves,
    files,
    findings: wanted.findings,
    signal: call.signal,
  });
  const used = await use(decision, files, { spec: wanted.spec, call });
  const { text, choices } = decision;
  const move: Move = { text, choices: [...choices], calls: used.calls, findings: wanted.findings };
  movesMade.inc({ next: used.next });
  call.send(moveMade, {
    ...episodeOf(wanted),
    move: wanted.move,
    transcript: await store(call, transcripts.name, { ...before, moves: [...before.moves, move] }),
    workspace: await store(call, workspaces.name, used.files),
    next: used.next,
  });
}

interface Made {
  readonly files: Workspace;
  readonly calls: ToolCall[];
  readonly next: Next;
}

/** Calls tools one after the other. What ends a move is not done here: the actor has it done. */
async function use({ calls }: Decision, files: Workspace, at: { spec: string; call: Call }): Promise<Made> {
  const made: ToolCall[] = [];
  let now = files;
  for (const asked of calls) {
    toolCalls.inc({ tool: asked.tool });
    const ends = endOf(asked);
    made.push({ ...asked, result: null });
    if (ends) return { files: now, calls: made, next: ends };
    const { files: then, result } = await useOne(asked, now, at);
    made[made.length - 1] = { ...asked, result };
    now = then;
  }
  return { files: now, calls: made, next: 'go on' };
}

const endOf = ({ tool }: Asked): Exclude<Next, 'go on'> | undefined =>
  tool === 'validate' || tool === 'submit' || tool === 'finish' ? tool : undefined;

async function useOne({ tool, input }: Asked, files: Workspace, { spec, call }: { spec: string; call: Call }) {
  if (isFileTool(tool)) return fileTools[tool](files, input);
  const found = await call.read(baseline, `baseline.${spec}`);
  return { files, result: found ? scoresOf(found.scores) : `no base model was measured on "${spec}" yet: try later` };
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
  throw new Failed('edge/refused', `the blob ${hash} is not what a move of this version leaves behind`);
}

const store = (call: Call, name: string, value: Transcript | Workspace): Promise<string> =>
  call.blobs.put(name, Buffer.from(JSON.stringify(value)));
