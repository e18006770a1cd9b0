import { cataloguePolicy } from '#protocol/policy';
import type { Move, PolicyWeights } from '#protocol/transcript';
import type { Asked, Decision, Mind, Moment } from '../mind.ts';
import { Chooser } from './chooser.ts';
import { better, rivalOf, rivalTried } from './experiment.ts';
import { filesOf } from './files.ts';
import { nextSteps, type Plan, pointNames, points, type View } from './points.ts';
import { readSpec } from './reading.ts';
import { changes, remembered, repaired } from './repair.ts';

/**
 * A small policy that composes a job from blocks: a stand-in for a language model. It looks at the baselines, writes a
 * job by its choices, validates, tries or submits it, and repairs what findings name. Its only memory are the moves so
 * far.
 */
export const catalogue: Mind = {
  check: async () => ({ learnable: 'choices', why: '' }),
  async decide(moment) {
    const { moves, findings, episode, seed } = moment;
    if (moves.length === 0)
      return { text: 'What can the base models do?', choices: [], calls: [tool('get_baseline_scores')] };
    const weights = await weightsOf(moment);
    const chooser = new Chooser(weights, [seed, episode, moves.length]);
    if (moment.experiments.length > 0) return judge(moment, chooser);
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

/** Writes a whole job, and chooses what to do with it. */
function write(moment: Moment, chooser: Chooser): Decision {
  const view = viewOf(moment);
  const plan = Object.fromEntries(
    pointNames.map((point) => [point, chooser.choose(point, points[point](view))]),
  ) as Plan;
  return hand(moment, plan, { view, chooser, text: `A job of blocks: ${plan.operation}, paid by ${plan.reward}.` });
}

/** After findings: repair what they name, submit all the same, or give up. */
function mend(moment: Moment, chooser: Chooser): Decision {
  const wanting = chooser.choose('wanting', nextSteps.wanting());
  if (wanting === 'finish') return { text: 'I give up.', choices: chooser.choices, calls: [tool('finish')] };
  if (wanting === 'submit') return { text: 'As it is.', choices: chooser.choices, calls: [tool('submit')] };
  const view = viewOf(moment);
  const plan = repaired(remembered(moment.moves), moment.findings ?? [], { view, chooser });
  return hand(moment, plan, { view, chooser, text: 'I repair what was found.' });
}

interface Handing {
  readonly view: View;
  readonly chooser: Chooser;
  readonly text: string;
}

/** Writes the files of a plan, and validates or submits them, or tries them beside those of a rival. */
function hand({ task, files, begun }: Moment, plan: Plan, { view, chooser, text }: Handing): Decision {
  const planned = filesOf(plan, task, view.reading);
  const check = chooser.choose('check', nextSteps.check(begun + 2 <= task.limits.experiments));
  if (check === 'validate' || check === 'submit')
    return { text, choices: chooser.choices, calls: [...changes(files, planned), tool(check)] };
  const rival = rivalOf(plan, chooser);
  const rivals = filesOf(rival, task, view.reading);
  const first = [...changes(files, rivals), tool('run_experiment')];
  const second = [...changes(rivals, planned), tool('run_experiment')];
  return {
    text: `${text} I try a learning rate of ${rival.learning_rate} beside ${plan.learning_rate}.`,
    choices: chooser.choices,
    calls: [...first, ...second, tool('await_experiments')],
  };
}

/** After experiments: submits the better one, or repairs what findings name. */
function judge(moment: Moment, chooser: Chooser): Decision {
  const [which, result] = better(moment.experiments);
  if (result.outcome === 'invalid') return mend({ ...moment, findings: result.findings }, chooser);
  const { plan } = remembered(moment.moves);
  const best = which === 'rival' ? rivalTried(plan, moment.moves) : plan;
  const calls = changes(moment.files, filesOf(best, moment.task, viewOf(moment).reading));
  return { text: `A learning rate of ${best.learning_rate} it is.`, choices: [], calls: [...calls, tool('submit')] };
}
