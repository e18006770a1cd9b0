import type { PublicSpec } from '#protocol/run';
import type { WorkspaceFile } from '#protocol/workspace';
import { prompts, rewards } from './blocks.ts';
import { operations } from './operations.ts';
import type { Plan } from './points.ts';
import type { Reading } from './reading.ts';

/** The files of a job that follows a plan. */
export const filesOf = (plan: Plan, task: PublicSpec, reading: Reading): Record<WorkspaceFile, string> => ({
  'task.json': `${JSON.stringify({ runtime: 'micro', baseModel: plan.base, spec: task.id }, null, 2)}\n`,
  'train.toml': trainOf(plan),
  'environment.js': environmentOf(plan, reading),
  'notes.md': `Tried: ${Object.entries(plan)
    .map(([point, option]) => `${point} ${option}`)
    .join(', ')}.\n`,
});

function trainOf(plan: Plan): string {
  const [groups = '', size = ''] = plan.batch.split('x');
  const knobs = {
    steps: plan.steps,
    groups_per_step: groups,
    group_size: size,
    learning_rate: plan.learning_rate,
    temperature: plan.temperature,
    max_tokens: plan.max_tokens,
    kl_coef: plan.kl_coef,
    lora_rank: plan.lora_rank,
  };
  const spelled = (key: string): string =>
    plan.spelling === 'camelCase' ? key.replace(/_./g, (pair) => pair.slice(1).toUpperCase()) : key;
  return Object.entries(knobs)
    .map(([key, value]) => `${spelled(key)} = ${value}\n`)
    .join('');
}

const pick = <T extends object>(blocks: T, name: string): T[keyof T] => {
  const found = Object.entries(blocks).find(([known]) => known === name);
  if (found) return found[1];
  throw new Error(`there is no block "${name}": known are ${Object.keys(blocks).join(', ')}`);
};

const environmentOf = ({ operation, reward, prompts: source }: Plan, reading: Reading): string =>
  `// The right answer: ${operation}.
function answerTo(word) {
  ${pick(operations, operation).body}
}

// Words: ${source}.
function makeWord(rng) {
  ${pick(prompts, source)(reading)}
}

function prompts(rng, n) {
  return Array.from({ length: n }, () => makeWord(rng) + '>');
}

// Paid: ${reward}.
function reward(prompt, completion) {
  const wanted = answerTo(prompt.slice(0, -1));
  ${pick(rewards, reward)}
}
`;
