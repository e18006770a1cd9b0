import { cataloguePolicy } from '#protocol/policy';
import type { Move, PolicyWeights } from '#protocol/transcript';
import type { Asked, Decision, Mind, Moment } from '../mind.ts';
import { Chooser } from './chooser.ts';
import { filesOf } from './files.ts';
import { type Plan, pointNames, points, turns, type View } from './points.ts';
import { readSpec } from './reading.ts';
import { changes, remembered, repaired } from './repair.ts';

/**
 * A small policy that composes a job from blocks: the stand-in for a language model where there is none. It looks at the
 * baselines, writes a job by its choices, checks or submits it, and repairs what findings name. It remembers nothing but
 * the moves themselves.
 */
export const catalogue: Mind = {
  async decide(moment) {
    const { moves, findings, episode, seed } = moment;
    if (moves.length === 0)
      return { text: 'What can the base models do?', choices: [], calls: [tool('get_baseline_scores')] };
    const weights = await weightsOf(moment);
    const chooser = new Chooser(weights, [seed, episode, moves.length]);
    if (findings === null) return write(moment, chooser);
    if (findings.length === 0) return { text: 'Nothing is wrong with it.', choices: [], calls: [tool('submit')] };
    return mend(moment, chooser);
  },
};

const tool = (name: Asked['tool'], input: Asked['input'] = {}): Asked => ({ tool: name, input });

const weightsOf = async (moment: Moment): Promise<PolicyWeights> =>
  cataloguePolicy.parse(JSON.parse(Buffer.from(await moment.policy()).toString('utf8'))).weights;

const viewOf = ({ task, moves }: Moment): View => ({
  task,
  reading: readSpec(task.text),
  baselines: new Map(
    [...told(moves).matchAll(/^(\S+): ([\d.]+)$/gm)].map(([, name = '', score]) => [name, Number(score)]),
  ),
});
const told = (moves: readonly Move[]): string =>
  moves.flatMap(({ calls }) => calls).find(({ tool: name }) => name === 'get_baseline_scores')?.result ?? '';

/** A whole job, and what to do with it. */
function write(moment: Moment, chooser: Chooser): Decision {
  const view = viewOf(moment);
  const plan = Object.fromEntries(
    pointNames.map((point) => [point, chooser.choose(point, points[point](view))]),
  ) as Plan;
  const calls = Object.entries(filesOf(plan, moment.task, view.reading)).map(([file, text]) =>
    tool('write_file', { file, text }),
  );
  const check = chooser.choose('check', turns.check()) === 'validate' ? 'validate' : 'submit';
  return {
    text: `A job of blocks: ${plan.operation}, paid by ${plan.reward}.`,
    choices: chooser.choices,
    calls: [...calls, tool(check)],
  };
}

/** After findings: repair what they name, submit all the same, or give up. */
function mend(moment: Moment, chooser: Chooser): Decision {
  const wanting = chooser.choose('wanting', turns.wanting());
  if (wanting === 'finish') return { text: 'I give up.', choices: chooser.choices, calls: [tool('finish')] };
  if (wanting === 'submit') return { text: 'As it is.', choices: chooser.choices, calls: [tool('submit')] };
  const view = viewOf(moment);
  const plan = repaired(remembered(moment.moves), moment.findings ?? [], { view, chooser });
  const calls = changes(moment.files, filesOf(plan, moment.task, view.reading));
  const check = chooser.choose('check', turns.check()) === 'validate' ? 'validate' : 'submit';
  return { text: 'I repair what was found.', choices: chooser.choices, calls: [...calls, tool(check)] };
}
