import type { Showing } from '#kit/actor';
import { type RunRecord, runPhase } from '#protocol/run';
import { heldBy } from './curriculum.ts';
import { gauges } from './metrics.ts';
import { recordOfRun } from './progress.ts';
import type { RunState } from './state.ts';

const shownAfterEndMs = 30 * 60_000;

/** Runs as gauges; probes are not shown. */
export const showing: Showing<{ run: RunState | null }> = {
  gauges: Object.values(gauges),
  isShown: ({ run }, now) => run !== null && (run.endedAt === null || now - run.endedAt < shownAfterEndMs),
  show({ run: state }, { address }) {
    if (!state) return;
    const [run = ''] = address.split('.');
    const record = recordOfRun(state);
    showProgress(run, record);
    showLastStep(run, record);
    showMoney(run, record);
    const held = heldBy(state);
    for (const reason of ['staleness', 'room'] as const) gauges.held.set({ run, reason }, held === reason ? 1 : 0);
    gauges.stepBegan.set({ run }, state.stepBeganAt / 1000);
  },
};

function showProgress(run: string, { phase, steps, config, policyVersion, underWay, outcomes }: RunRecord): void {
  for (const one of runPhase.options) gauges.phase.set({ run, phase: one }, one === phase ? 1 : 0);
  gauges.steps.set({ run }, steps.length);
  gauges.stepsWanted.set({ run }, config.steps);
  gauges.policyVersion.set({ run }, policyVersion);
  gauges.underWay.set({ run }, underWay);
  for (const [outcome, count] of Object.entries(outcomes)) gauges.episodes.set({ run, outcome }, count);
}

/** Sets nothing before the first step: a missing mean is not a zero. */
function showLastStep(run: string, { steps, evaluations }: RunRecord): void {
  const last = steps.at(-1);
  if (last) {
    gauges.reward.set({ run }, last.reward);
    for (const part of ['validity', 'quality', 'uplift', 'speed'] as const) gauges.part.set({ run, part }, last[part]);
    gauges.stepSeconds.set({ run }, last.seconds);
    gauges.staleness.set({ run }, last.stalenessMax);
  }
  const measured = evaluations.findLast(({ episodes, failed, wanted }) => episodes > 0 && episodes + failed >= wanted);
  if (!measured) return;
  gauges.heldOutReward.set({ run }, measured.reward);
  gauges.heldOutUplift.set({ run }, measured.uplift);
}

function showMoney(run: string, { costUsd, config: { budgetUsd } }: RunRecord): void {
  gauges.cost.set({ run, kind: 'pods' }, costUsd);
  if (budgetUsd === null) return;
  gauges.budget.set({ run }, budgetUsd);
  gauges.budgetLeft.set({ run }, Math.max(0, budgetUsd - costUsd));
}
