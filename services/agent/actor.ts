import { z } from 'zod';
import { actor, type Turn } from '#kit/actor';
import {
  type Episode,
  episodeFailed,
  episodeFinish,
  episodeOf,
  episodeStart,
  findingsTold,
  workspaceCheck,
} from '#protocol/episode';
import { experimentCheck, experimentTold } from '#protocol/experiment';
import type { Finding } from '#protocol/finding';
import type { BodyOf } from '#protocol/message';
import { blobHash } from '#protocol/message';
import { mindCheck } from '#protocol/mind';
import { moveFailed, moveMade, moveWanted } from '#protocol/move';
import { passedOn, probeAgent, probePool } from '#protocol/probe';
import { runFailed } from '#protocol/run';
import { experimentNumber, experimentResult } from '#protocol/transcript';
import { episodeEnded } from '#protocol/verdict';
import { checkMind } from './check.ts';
import { makeMove } from './move.ts';

/** Time for one move: a language model may think for long. */
const moveSeconds = 120;

/**
 * An instance is one episode: a chain of moves, each of which continues from the transcript and workspace of the one
 * before.
 */
const state = {
  phase: z.enum(['new', 'moving', 'checking', 'awaiting', 'over']),
  /** How the conductor started it; null: not yet, or it is over. */
  start: episodeStart.body.nullable(),
  /** Number of moves made. */
  moves: z.int().nonnegative(),
  /** As the last move left them. */
  transcript: blobHash.nullable(),
  workspace: blobHash.nullable(),
  experiments: z.strictObject({
    begun: z.int().nonnegative(),
    underWay: z.array(experimentNumber),
    /** Results that came back since the mind was last asked. */
    told: z.array(experimentResult),
  }),
};
type State = z.infer<z.ZodObject<typeof state>>;
type Begun = State & { start: BodyOf<typeof episodeStart> };

const nothing: State = {
  ...{ phase: 'new', start: null, moves: 0, transcript: null, workspace: null },
  experiments: { begun: 0, underWay: [], told: [] },
};

const over = (state: State): State => ({ ...nothing, phase: 'over', moves: state.moves });

export const agent = actor('agent', state, nothing)
  .on(episodeStart, (state, start, turn) => (state.phase === 'new' ? ask({ ...state, start }, null, turn) : state))
  .on(moveMade, (state, made, turn) => {
    if (!isBegun(state) || state.phase !== 'moving' || made.move !== state.moves) return state;
    const { transcript, workspace, next } = made;
    const moved = tryOut({ ...state, moves: state.moves + 1, transcript, workspace }, made.experiments, turn);
    if (next === 'await' && moved.experiments.underWay.length > 0) return { ...moved, phase: 'awaiting' };
    if (next === 'go on' || next === 'await') return askAgain(moved, null, turn);
    if (next === 'finish' || workspace === null) return finish(moved, turn);
    turn.send(workspaceCheck, { ...episodeOf(state.start), workspace, transcript, submit: next === 'submit' });
    return { ...moved, phase: 'checking' };
  })
  .on(findingsTold, (state, { submit, findings, transcript }, turn) => {
    if (!isBegun(state) || state.phase !== 'checking' || transcript !== state.transcript) return state;
    return submit && findings.length === 0 ? over(state) : askAgain(state, findings, turn);
  })
  .on(experimentTold, (state, { result }, turn) => {
    const { underWay, told, begun } = state.experiments;
    if (!isBegun(state) || !underWay.includes(result.experiment)) return state;
    const left = underWay.filter((experiment) => experiment !== result.experiment);
    const next = { ...state, experiments: { begun, underWay: left, told: [...told, result] } };
    return state.phase === 'awaiting' && left.length === 0 ? askAgain(next, null, turn) : next;
  })
  .on(moveFailed, (state, failed, turn) => {
    if (state.phase !== 'moving') return state;
    turn.send(episodeFailed, failed);
    return over(state);
  })
  .on(episodeEnded, over)
  .edge(moveWanted, makeMove, {
    failed: (wanted, failure, call) => call.send(moveFailed, { ...episodeOf(wanted), failure }),
    seconds: moveSeconds,
    slots: 8,
  })
  .edge(mindCheck, checkMind, {
    failed: ({ run }, failure, call) => call.send(runFailed, { run, failure }),
    seconds: 60,
    slots: 1,
  })
  .on(probeAgent, (state, probe, turn) => {
    turn.send(probePool, passedOn(probe, 'agent', turn.now));
    return state;
  });

const isBegun = (state: State): state is Begun => state.start !== null;

type Asked = BodyOf<typeof moveMade>['experiments'];

/** Sends off experiments; they run while the episode goes on. */
function tryOut(state: Begun, asked: Asked, turn: Turn): Begun {
  const { begun, underWay, told } = state.experiments;
  for (const one of asked) turn.send(experimentCheck, { ...episodeOf(state.start), ...one });
  const numbers = asked.map(({ experiment }) => experiment);
  const experiments = { begun: begun + asked.length, underWay: [...underWay, ...numbers], told };
  return { ...state, experiments };
}

const askAgain = (state: Begun, findings: Finding[] | null, turn: Turn): State =>
  state.moves < state.start.allowance.moves ? ask(state, findings, turn) : finish(state, turn);

function ask(state: Begun, findings: Finding[] | null, turn: Turn): State {
  const { moves: move, transcript, workspace, start } = state;
  const { begun, told: experiments } = state.experiments;
  turn.send(moveWanted, { ...start, move, transcript, workspace, findings, begun, experiments });
  return { ...state, phase: 'moving', experiments: { ...state.experiments, told: [] } };
}

function finish(state: Begun, turn: Turn): State {
  const episode: Episode = episodeOf(state.start);
  turn.send(episodeFinish, { ...episode, transcript: state.transcript, workspace: state.workspace });
  return over(state);
}
