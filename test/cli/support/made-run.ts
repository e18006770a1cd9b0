// A run as it might have been: what summaries and reports are tried with.
import { type RunRecord, runConfig, type StepRecord } from '#protocol/run';
import type { Verdict } from '#protocol/verdict';
import { meanOf } from '../../../services/cli/report/interval.ts';
import type { RunData } from '../../../services/cli/report/run-data.ts';
import { clamp, Dice, type Setting, transcriptOf, verdictOf, workspaceOf } from './made-episode.ts';

const startedAt = Date.UTC(2026, 10, 30, 9, 12);
const trained = [
  'reverse',
  'uppercase',
  'sort-letters',
  'double-letters',
  'drop-vowels',
  'swap-halves',
  'shift',
  'first-and-last',
  'count-letters',
  'next-letter',
];
const heldOut = ['rotate-left', 'behead', 'next-of-first'];

interface Of {
  readonly seed?: number;
  readonly steps?: number;
  /** Steps that were made; the run was stopped after them. */
  readonly stoppedAfter?: number;
}

function stepOf(verdicts: readonly Verdict[], step: number, seconds: number): StepRecord {
  const rated = verdicts.filter(({ outcome }) => outcome !== 'failed');
  const mean = (of: (one: Verdict) => number): number => meanOf(rated.map(of));
  return {
    step,
    policyVersion: step,
    reward: mean(({ reward }) => reward ?? 0),
    validity: mean(({ parts }) => parts?.validity ?? 0),
    quality: mean(({ parts }) => parts?.quality ?? 0),
    uplift: mean(({ parts }) => parts?.uplift ?? 0),
    speed: mean(({ parts }) => parts?.speed ?? 0),
    episodes: rated.length,
    failed: verdicts.length - rated.length,
    jobs: verdicts.reduce((sum, { jobs }) => sum + jobs, 0),
    stalenessMax: Math.max(...verdicts.map(({ policy }) => step - 1 - policy)),
    seconds,
  };
}

const secondsPerEpisode = 0.9;
const skillAt = (version: number, steps: number): number => 0.08 + 0.8 * (1 - Math.exp(-3.2 * (version / steps)));

/** The same for the same seed. */
export function madeRun({ seed = 7, steps = 20, stoppedAfter = steps }: Of = {}): RunData {
  const dice = new Dice(seed);
  const config = runConfig.parse({ seed, steps, podUsdPerHour: 0.22 });
  const verdicts: Verdict[] = [];
  const records: StepRecord[] = [];
  let clock = startedAt + 14_000;
  const play = (set: Pick<Setting, 'family' | 'policy' | 'purpose' | 'use' | 'group'>, talent = 1): Verdict => {
    clock += secondsPerEpisode * 1000 * (0.6 + 0.8 * dice.roll());
    const skill = clamp(talent * skillAt(set.policy, steps));
    const made = verdictOf(dice, { ...set, skill, endedAt: clock, at: verdicts.length });
    verdicts.push(made);
    return made;
  };
  const evaluate = (policy: number): void => {
    for (const family of heldOut)
      for (let n = 0; n < config.heldOutEpisodes; n += 1)
        play({ family, policy, purpose: 'evaluation', use: 'held-out', group: `eval-${policy}-${family}` }, 0.8);
  };
  evaluate(0);
  for (let step = 1; step <= stoppedAfter; step += 1) {
    const began = clock;
    const here = Array.from({ length: config.groupsPerStep }, (_, g) => {
      const family = dice.one(trained);
      return Array.from({ length: config.groupSize }, () =>
        play({
          family,
          policy: Math.max(0, step - 1 - Math.floor(dice.roll() * 3)),
          purpose: 'training',
          use: 'training',
          group: `g${step}-${g}`,
        }),
      );
    });
    records.push(stepOf(here.flat(), step, (clock - began) / 1000));
    if (step === 10 && steps > 10) evaluate(step);
  }
  if (stoppedAfter === steps) evaluate(steps);
  return dataOf({ verdicts, records, clock, config, dice });
}

function dataOf({
  verdicts,
  records,
  clock,
  config,
  dice,
}: {
  verdicts: Verdict[];
  records: StepRecord[];
  clock: number;
  config: RunRecord['config'];
  dice: Dice;
}): RunData {
  const count = (kind: Verdict['outcome']): number => verdicts.filter(({ outcome }) => outcome === kind).length;
  const useful = verdicts.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0);
  const stopped = records.length < config.steps;
  return {
    run: 'quickstart-7',
    record: {
      version: 1,
      phase: 'ended',
      config,
      startedAt,
      endedAt: clock + 2_000,
      policyVersion: records.length,
      steps: records,
      evaluations: [],
      outcomes: { scored: count('scored'), invalid: count('invalid'), failed: count('failed') },
      underWay: 0,
      costUsd: (useful / 3600) * config.podUsdPerHour,
      over: stopped ? 'stopped' : 'done',
      failure: null,
    },
    verdicts,
    pods: { most: 2, podSeconds: ((clock - startedAt) / 1000) * 2, usefulSeconds: useful },
    transcripts: Object.fromEntries(
      verdicts.map((one) => [
        one.episode,
        transcriptOf(dice, {
          policy: one.policy,
          skill: skillAt(one.policy, config.steps),
          spec: one.spec,
          invalid: one.invalid,
        }),
      ]),
    ),
    workspaces: Object.fromEntries(verdicts.map((one) => [one.episode, workspaceOf(one.family, one.spec)])),
    restarts: 1,
    at: clock + 10_000,
  };
}

export const stoppedRun = (): RunData => madeRun({ stoppedAfter: 6 });

export function emptyRun(): RunData {
  const data = madeRun({ steps: 1 });
  return {
    ...data,
    record: {
      ...data.record,
      phase: 'preparing',
      config: runConfig.parse({}),
      endedAt: null,
      policyVersion: 0,
      steps: [],
      outcomes: { scored: 0, invalid: 0, failed: 0 },
      costUsd: 0,
      over: null,
    },
    ...{ verdicts: [], pods: null, transcripts: {}, workspaces: {}, restarts: 0, at: startedAt + 3_000 },
  };
}

export function allFailed(): RunData {
  const data = madeRun({ steps: 2 });
  const failure = { code: 'pod/lost', detail: 'pod p1 (process 1) ended with exit code 1' } as const;
  const nothing = { parts: null, reward: null, pod: null, seconds: null, curve: [], failure };
  const verdicts = data.verdicts.map((one) => ({ ...one, ...nothing, outcome: 'failed' as const }));
  const outcomes = { scored: 0, invalid: 0, failed: verdicts.length };
  const record = { ...data.record, policyVersion: 0, steps: [], outcomes, over: 'failed' as const, failure };
  return { ...data, verdicts, record };
}
