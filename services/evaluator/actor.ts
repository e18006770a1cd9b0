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
import { experimentCheck, experimentChecked, experimentEnded } from '#protocol/experiment';
import type { Failure } from '#protocol/failure';
import { jobAnswered, jobCancel, jobFailed, jobSubmit, jobTrained } from '#protocol/job';
import type { BodyOf } from '#protocol/message';
import { probeEvaluator, probeFailed } from '#protocol/probe';
import { catalogueWanted, runFailed } from '#protocol/run';
import { baseline, baselineMeasured, baselinesCompared, baselinesWanted, comparison } from '#protocol/verdict';
import { compareBaselines, tellCatalogue } from './baselines.ts';
import { checkExperiment, checkWorkspace } from './check.ts';
import { countTurn } from './counting.ts';
import { end, failed, invalid, scored } from './ending.ts';
import { abandon, begin, conclude, failedBy } from './experiments.ts';
import { askTrained, freePod, gradeAnswers, notMeasured } from './grade.ts';
import { readBlob } from './probe.ts';
import { nothing, type State, state } from './state.ts';

/** After this many invalid submissions the validity is 0, and the episode ends. */
const mostInvalid = 4;

type Checked = BodyOf<typeof workspaceChecked>;

export const evaluator = actor('evaluator', state, nothing)
  .counts(countTurn)
  .edge(workspaceCheck, checkWorkspace, {
    failed: (body, failure, call) => call.send(episodeFailed, { ...episodeOf(body), failure }),
    seconds: 60,
    slots: 2,
  })
  .on(workspaceChecked, (state, checked, turn) => {
    if (episodeLife.ended(state.phase)) return state;
    const { submit, findings, transcript } = checked;
    turn.send(findingsTold, { ...episodeOf(checked), transcript, submit, findings });
    if (!submit || state.phase !== 'open') return state;
    return checked.job ? accept(state, checked, turn) : reject(state, checked, turn);
  })
  .edge(experimentCheck, checkExperiment, {
    failed: ({ experiment, ...body }, failure, call) =>
      call.send(experimentEnded, { ...episodeOf(body), result: failedBy(failure, experiment) }),
    seconds: 60,
    slots: 2,
  })
  .on(experimentChecked, begin)
  .on(experimentEnded, (state, { result, ...of }, turn) => conclude(state, { of, result }, turn))
  .edge(jobTrained, askTrained, {
    failed: (body, failure, call) => {
      freePod(body, call);
      notMeasured(body, failure, call);
    },
    seconds: 60,
    slots: 4,
  })
  .edge(jobAnswered, gradeAnswers, {
    failed: notMeasured,
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
    const { experiment } = body;
    if (experiment !== null) return conclude(state, { of: body, result: failedBy(failure, experiment) }, turn);
    if (state.phase !== 'running' || body.workspace !== state.workspace) return state;
    return end(state, failed(body, failure), turn);
  })
  .on(episodeFailed, (state, { failure, ...body }, turn) => giveUp(state, { body, failure }, turn))
  .on(episodeOverdue, (state, { seconds, ...body }, turn) => {
    const detail = `episode ${body.episode} had not ended after ${seconds} s`;
    return giveUp(state, { body, failure: { code: 'route/episode-overdue', detail } }, turn);
  })
  .edge(catalogueWanted, tellCatalogue, {
    failed: ({ run }, failure, call) => call.send(runFailed, { run, failure }),
    seconds: 300,
    slots: 1,
  })
  .on(baselineMeasured, (state, { spec, scores, fingerprint }, turn) => {
    const { pinned } = state;
    if (pinned.fingerprint === fingerprint && isSame(pinned.scores, scores)) return state;
    const version = pinned.version + 1;
    turn.set(baseline, { version, spec, scores, fingerprint, measuredAt: turn.now });
    return { ...state, pinned: { version, fingerprint, scores } };
  })
  .edge(baselinesWanted, compareBaselines, {
    failed: ({ request }, failure, call) => call.send(baselinesCompared, { request, baselines: [], failure }),
    seconds: 300,
    slots: 1,
  })
  .on(baselinesCompared, (state, compared, turn) => {
    turn.set(comparison, { ...compared, version: 1 });
    return state;
  })
  .edge(probeEvaluator, readBlob, {
    failed: ({ probe, seen }, failure, call) => call.send(probeFailed, { probe, seen, failure }),
    seconds: 30,
    slots: 4,
  });

type Scores = State['pinned']['scores'];
const isSame = (one: Scores, other: Scores): boolean =>
  Object.keys(one).join() === Object.keys(other).join() &&
  Object.entries(one).every(([model, scores]) => scores.join() === other[model]?.join());

/** The submission becomes a job, which is named after its episode. */
function accept(state: State, checked: Checked, turn: Turn): State {
  const { workspace, transcript, job } = checked;
  if (!job) return state;
  abandon(state, checked, turn);
  turn.send(jobSubmit, { ...episodeOf(checked), job: checked.episode, experiment: null, workspace, ...job });
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

/** Ends an episode as failed, and cancels its job. */
function giveUp(state: State, { body, failure }: { body: Episode; failure: Failure }, turn: Turn): State {
  if (episodeLife.ended(state.phase)) return state;
  if (state.phase === 'running') turn.send(jobCancel, { run: body.run, job: body.episode });
  return end(state, failed(body, failure), turn);
}
