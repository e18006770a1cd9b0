import { runConfig, type Spec } from '#protocol/run';
import { catalogue as mind } from '../../services/agent/catalogue/mind.ts';
import { hash, specOf } from '../../services/conductor/curriculum.ts';
import { catalogue } from '../../services/evaluator/catalogue.ts';
import { checkFiles } from '../../services/evaluator/static.ts';
import { done, moment } from '../agent/scene.ts';

const specs: Spec[] = [...catalogue.values()].map(({ spec }) => spec);

/** An episode of the first two groups of a run, whose untrained agent tries two jobs, and a seed with which it does. */
export async function firstThatTries(run: string): Promise<{ seed: number; episode: string }> {
  for (let seed = 0; seed < 1_000; seed += 1)
    for (const group of [0, 1])
      for (const episode of [0, 1, 2].map((n) => `g${group}-${n}`)) {
        const spec = specOf({ specs, config: runConfig.parse({ seed }) }, group);
        if (spec && (await tries(spec, { seed, run, episode }))) return { seed, episode };
      }
  throw new Error('no untrained agent tries anything: see turns.check in services/agent/catalogue/points.ts');
}

async function tries({ id, text, limits }: Spec, of: { seed: number; run: string; episode: string }): Promise<boolean> {
  const seed = hash(of.seed, 0, ...new TextEncoder().encode(of.episode));
  const first = moment({}, { episode: `${of.run}.${of.episode}`, seed, task: { id, text, limits } });
  const looked = done(await mind.decide(first), first);
  const second = { ...first, moves: [looked.move] };
  const { move, files } = done(await mind.decide(second), second);
  if (move.calls.at(-1)?.tool !== 'await_experiments') return false;
  const environment = files['environment.js'] ?? '';
  const isPaid =
    /Paid: (?:exact|start|letters|both)\./.test(environment) && /Words: (?:told|short)\./.test(environment);
  return isPaid && 'job' in checkFiles(new Map(Object.entries(files)), { spec: id, limits });
}
