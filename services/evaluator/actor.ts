import { z } from 'zod';
import { actor, type Turn } from '#kit/actor';
import {
  type Episode,
  episodeFailed,
  episodeFinish,
  episodeGraded,
  episodeLife,
  episodeOf,
  episodeOverdue,
  findingsTold,
  workspaceCheck,
  workspaceChecked,
} from '#protocol/episode';
import type { Failure } from '#protocol/failure';
import { finding } from '#protocol/finding';
import { jobAnswered, jobCancel, jobFailed, jobSubmit, jobTrained } from '#protocol/job';
import { type BodyOf, blobHash, token } from '#protocol/message';
import { probeEvaluator, probeFailed } from '#protocol/probe';
import { baseline, baselineMeasured, episodeEnded, verdict } from '#protocol/verdict';
import { catalogue } from './catalogue.ts';
import { checkWorkspace } from './check.ts';
import { type Ending, failed, invalid, scored } from './ending.ts';
import { askTrained, freePod, gradeAnswers } from './grade.ts';
import { readBlob } from './luggage.ts';
import { episodes } from './metrics.ts';

/** With so many invalid submissions the validity is 0, and the episode is over. */
const mostInvalid = 4;

/** An evaluator is one episode, or the baselines of one spec. */
const state = {
  phase: z.enum(['open', 'running', 'scored', 'invalid', 'failed']),
  /** Submissions that were found invalid, by their transcripts: told twice is counted once. */
  rejected: z.array(blobHash),
  /** The submission that counts: the valid one, or the last that was none. */
  workspace: blobHash.nullable(),
  transcript: blobHash.nullable(),
  findings: z.array(finding),
  baseModel: token.nullable(),
  /** What the baselines of a spec were last measured with, and how often that changed. */
  pinned: z.strictObject({ fingerprint: z.string(), version: z.int() }),
};
type State = z.infer<z.ZodObject<typeof state>>;
const nothing: State = {
  phase: 'open',
  rejected: [],
  workspace: null,
  transcript: null,
  findings: [],
  baseModel: null,
  pinned: { fingerprint: '', version: 0 },
};

type Checked = BodyOf<typeof workspaceChecked>;

export const evaluator = actor('evaluator', state, nothing)
  .edge(workspaceCheck, checkWorkspace, {
    failed: (body, failure, call) => call.send(episodeFailed, { ...episodeOf(body), failure }),
    seconds: 60,
    slots: 2,
  })
  .on(workspaceChecked, (state, checked, turn) => {
    if (episodeLife.ended(state.phase)) return state;
    const { submit, findings } = checked;
    turn.send(findingsTold, { ...episodeOf(checked), submit, findings });
    if (!submit || state.phase !== 'open') return state;
    return checked.job ? accept(state, checked, turn) : reject(state, checked, turn);
  })
  .edge(jobTrained, askTrained, {
    failed: (body, failure, call) => {
      freePod(body, call);
      call.send(episodeFailed, { ...episodeOf(body), failure });
    },
    seconds: 60,
    slots: 4,
  })
  .edge(jobAnswered, gradeAnswers, {
    failed: (body, failure, call) => call.send(episodeFailed, { ...episodeOf(body), failure }),
    seconds: 60,
    slots: 4,
  })
  .on(episodeGraded, (state, graded, turn) => {
    if (state.phase !== 'running' || graded.workspace !== state.workspace) return state;
    return end(state, scored(graded, state.rejected.length), turn);
  })
  .on(episodeFinish, (state, body, turn) => {
    if (state.phase !== 'open') return state;
    const { workspace, transcript } = body;
    return end({ ...state, workspace, transcript }, invalid(body, state.rejected.length, state.findings), turn);
  })
  .on(jobFailed, (state, { failure, ...body }, turn) => {
    if (state.phase !== 'running' || body.workspace !== state.workspace) return state;
    return end(state, failed(body, failure), turn);
  })
  .on(episodeFailed, (state, { failure, ...body }, turn) => giveUp(state, { body, failure }, turn))
  .on(episodeOverdue, (state, { seconds, ...body }, turn) => {
    const detail = `episode ${body.episode} had not ended after ${seconds} s`;
    return giveUp(state, { body, failure: { code: 'route/episode-overdue', detail } }, turn);
  })
  .on(baselineMeasured, (state, { spec, scores, fingerprint }, turn) => {
    if (state.pinned.fingerprint === fingerprint) return state;
    const version = state.pinned.version + 1;
    turn.set(baseline, { version, spec, scores, fingerprint, measuredAt: turn.now });
    return { ...state, pinned: { fingerprint, version } };
  })
  .edge(probeEvaluator, readBlob, {
    failed: ({ probe, seen }, failure, call) => call.send(probeFailed, { probe, seen, failure }),
    seconds: 30,
    slots: 4,
  });

/** The job of an episode is named after it: it has one. */
function accept(state: State, checked: Checked, turn: Turn): State {
  const { workspace, transcript, job } = checked;
  if (!job) return state;
  turn.send(jobSubmit, { ...episodeOf(checked), job: checked.episode, workspace, ...job });
  const phase = episodeLife.step(state.phase, 'running');
  return { ...state, phase, workspace, transcript, baseModel: job.baseModel, findings: [] };
}

function reject(state: State, checked: Checked, turn: Turn): State {
  const { workspace, transcript, findings } = checked;
  if (state.rejected.includes(transcript)) return state;
  const rejected = [...state.rejected, transcript];
  const next = { ...state, rejected, workspace, transcript, findings };
  return rejected.length < mostInvalid ? next : end(next, invalid(checked, rejected.length, findings), turn);
}

/** Nobody waits for its job any more. */
function giveUp(state: State, { body, failure }: { body: Episode; failure: Failure }, turn: Turn): State {
  if (episodeLife.ended(state.phase)) return state;
  if (state.phase === 'running') turn.send(jobCancel, { run: body.run, job: body.episode });
  return end(state, failed(body, failure), turn);
}

/** Once: a phase that has ended takes no step. */
function end(state: State, { of, graded, findings, ...ending }: Ending, turn: Turn): State {
  const { spec, family } = catalogue.get(of.spec) ?? { spec: { text: '' }, family: { name: 'unknown' } };
  const { transcript, workspace, baseModel } = state;
  const told = {
    ...episodeOf(of),
    ...ending,
    family: family.name,
    transcript,
    jobs: state.phase === 'running' ? 1 : 0,
    podSeconds: graded?.seconds ?? 0,
  };
  // a turn that is tried again is counted again
  episodes.inc({ outcome: ending.outcome });
  turn.send(episodeEnded, told);
  turn.set(verdict, {
    ...told,
    version: 1,
    text: spec.text,
    workspace,
    findings,
    invalid: state.rejected.length,
    pod: graded?.pod ?? null,
    baseModel,
    weights: graded?.weights ?? null,
    seconds: graded?.seconds ?? null,
    curve: graded?.curve ?? [],
    endedAt: turn.now,
  });
  return { ...state, phase: episodeLife.step(state.phase, ending.outcome) };
}
