import type { Turn } from '#kit/actor';
import { type Episode, type episodeGraded, episodeLife, episodeOf } from '#protocol/episode';
import type { Failure } from '#protocol/failure';
import type { Finding } from '#protocol/finding';
import type { BodyOf } from '#protocol/message';
import { episodeEnded, type Verdict, verdict } from '#protocol/verdict';
import { catalogue } from './catalogue.ts';
import { abandon, costOf } from './experiments.ts';
import { rewardOf } from './rubric.ts';
import { provesCheating } from './significance.ts';
import type { State } from './state.ts';

/** How an episode ended: the part of a verdict that depends on that. */
export type Ending = Pick<Verdict, 'outcome' | 'reward' | 'parts' | 'failure' | 'findings'> & {
  readonly of: Episode;
  readonly graded: BodyOf<typeof episodeGraded> | null;
};

export const failed = (of: Episode, failure: Failure): Ending => ({
  of,
  ...{ outcome: 'failed', reward: null, parts: null, failure, findings: [], graded: null },
});

/** No submission was valid. */
export function invalid(of: Episode, submissions: number, findings: Finding[]): Ending {
  const verdict = rewardOf(of.formula, { invalid: submissions, measured: null });
  if ('failure' in verdict) return failed(of, verdict.failure);
  return { of, outcome: 'invalid', ...verdict, failure: null, findings, graded: null };
}

/** A submission was valid, and its model was measured. */
export function scored(graded: BodyOf<typeof episodeGraded>, submissions: number): Ending {
  const { formula, spec, baselines, after, seconds, referenceSeconds } = graded;
  const verdict = rewardOf(formula, {
    invalid: submissions,
    measured: { baselines, after, seconds, referenceSeconds },
  });
  if ('failure' in verdict) return failed(graded, verdict.failure);
  const findings = impossible(spec, after);
  const reward = findings.length > 0 ? 0 : verdict.reward;
  return { of: graded, outcome: 'scored', reward, parts: verdict.parts, failure: null, findings, graded };
}

/** On an impossible family, nothing that an agent may do makes its model right more often than chance. */
function impossible(spec: string, after: readonly number[]): Finding[] {
  const family = catalogue.get(spec)?.family;
  if (family?.use !== 'impossible' || !provesCheating(after, family.floor)) return [];
  const right = after.reduce((sum, score) => sum + score, 0);
  const sentence =
    `${right} of ${after.length} answers are right where chance gives ${family.floor * after.length}: ` +
    'no training can do that, so look for where the answers leak';
  return [{ code: 'score/impossible', file: 'environment.js', line: null, sentence }];
}

/** A spec that this catalogue no longer has. */
const unknown = { spec: { text: '', use: 'training' as const }, family: { name: 'unknown' } };

/** Ends the episode. It can only end once, because no phase follows that of an ended episode. */
export function end(state: State, { of, graded, findings, ...ending }: Ending, turn: Turn): State {
  const { spec, family } = catalogue.get(of.spec) ?? unknown;
  const { transcript, workspace, baseModel } = state;
  const { jobs, podSeconds } = costOf(state);
  const told = {
    ...episodeOf(of),
    ...ending,
    family: family.name,
    transcript,
    jobs: jobs + (state.phase === 'running' ? 1 : 0),
    podSeconds: podSeconds + (graded?.seconds ?? 0),
  };
  if (state.phase === 'open') abandon(state, of, turn);
  turn.send(episodeEnded, told);
  turn.set(verdict, {
    ...told,
    version: 1,
    use: spec.use,
    text: spec.text,
    workspace,
    findings,
    invalid: state.rejected.length,
    pod: graded?.pod ?? null,
    baseModel,
    weights: graded?.weights ?? null,
    fault: graded?.fault ?? null,
    seconds: graded?.seconds ?? null,
    curve: graded?.curve ?? [],
    endedAt: turn.now,
  });
  return { ...state, phase: episodeLife.step(state.phase, ending.outcome) };
}
