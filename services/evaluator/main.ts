import { runWith } from '#kit/run';
import { evaluator } from './actor.ts';
import { warmUp } from './check.ts';
import { knobs } from './config.ts';
import { keepSecret } from './secret.ts';

await runWith('evaluator', knobs, ({ hiddenSeed }) => {
  keepSecret(hiddenSeed);
  delete process.env.UPLIFT_EVALUATOR_HIDDEN_SEED; // no child of this process needs it
  void warmUp();
  return evaluator;
});
