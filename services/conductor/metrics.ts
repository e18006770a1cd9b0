import { gauge } from '#kit/metrics';

const ofRun = <L extends string = never>(name: string, help: string, more: readonly L[] = []) =>
  gauge<'run' | L>(`run_${name}`, help, ['run', ...more]);

/** What a run is. They go half an hour after it has ended. */
export const gauges = {
  phase: ofRun('phase', '1 for the phase that a run is in', ['phase']),
  steps: ofRun('steps', 'Steps that are complete'),
  stepsWanted: ofRun('steps_wanted', 'Steps that the run is to take'),
  policyVersion: ofRun('policy_version', 'The newest policy that episodes are played with'),
  underWay: ofRun('episodes_under_way', 'Episodes that have begun and not ended'),
  episodes: ofRun('episodes', 'Episodes that have ended, by how', ['outcome']),
  reward: ofRun('step_reward_ratio', 'Mean reward of the last complete step'),
  part: ofRun('step_part_ratio', 'Mean of a part of the reward in the last complete step', ['part']),
  stepSeconds: ofRun('step_seconds', 'Time from the end of the step before to that of the last one'),
  stepBegan: ofRun('step_began_timestamp_seconds', 'When the step under way began, seconds since 1970'),
  staleness: ofRun('step_staleness_max_steps', 'Of the oldest episode that the last step learned from'),
  heldOutReward: ofRun('held_out_reward_ratio', 'Mean reward on families that are not trained on, last evaluation'),
  heldOutUplift: ofRun('held_out_uplift_ratio', 'Mean uplift on families that are not trained on, last evaluation'),
  held: ofRun('admission_held', '1 while the next group for training may not begin, by what it waits for', ['reason']),
  cost: ofRun('cost_usd', 'What the run has cost, by what for', ['kind']),
  budget: ofRun('budget_usd', 'What the run may cost; there is none where it is not bounded'),
  budgetLeft: ofRun('budget_left_usd', 'What the run may still cost'),
} as const;
