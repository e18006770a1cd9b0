import { gauge } from '#kit/metrics';

const ofRun = <L extends string = never>(name: string, help: string, more: readonly L[] = []) =>
  gauge<'run' | L>(`run_${name}`, help, ['run', ...more]);

/** The state of a run, shown until half an hour after its end. */
export const gauges = {
  phase: ofRun('phase', '1 for the phase that the run is in', ['phase']),
  steps: ofRun('steps', 'Steps that are complete'),
  stepsWanted: ofRun('steps_wanted', 'Steps that the run will take'),
  policyVersion: ofRun('policy_version', 'Version of the newest policy'),
  underWay: ofRun('episodes_under_way', 'Episodes that have begun and not ended'),
  episodes: ofRun('episodes', 'Episodes that have ended, by outcome', ['outcome']),
  reward: ofRun('step_reward_ratio', 'Mean reward of the last complete step'),
  part: ofRun('step_part_ratio', 'Mean of a part of the reward in the last complete step', ['part']),
  stepSeconds: ofRun('step_seconds', 'Duration of the last complete step'),
  stepBegan: ofRun('step_began_timestamp_seconds', 'When the current step began, seconds since 1970'),
  staleness: ofRun('step_staleness_max_steps', 'Staleness of the oldest episode that the last step learned from'),
  heldOutReward: ofRun('held_out_reward_ratio', 'Mean reward on held-out families, last evaluation'),
  heldOutUplift: ofRun('held_out_uplift_ratio', 'Mean uplift on held-out families, last evaluation'),
  held: ofRun('admission_held', '1 while the next group for training may not begin, by what it waits for', ['reason']),
  cost: ofRun('cost_usd', 'What the run has cost, by kind', ['kind']),
  budget: ofRun('budget_usd', 'What the run may cost; absent if it has no budget'),
  budgetLeft: ofRun('budget_left_usd', 'What the run may still cost'),
} as const;
