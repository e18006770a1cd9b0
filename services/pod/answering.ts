import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import { type jobAnswer, jobAnswered, leaseEnded } from '#protocol/job';
import type { BodyOf } from '#protocol/message';
import { type Holding, isMine } from './holding.ts';
import { runtimes } from './runtimes/registry.ts';

/** Edge: answers prompts with the model that was trained last, and frees the pod. */
export const answer =
  (holding: Holding) =>
  async (body: BodyOf<typeof jobAnswer>, call: Call): Promise<void> => {
    if (!isMine(holding, body)) return;
    const { prompts, ...trained } = body;
    // the weights are only in the process that trained them, and a lease belongs to one process
    if (holding.weights?.hash !== body.weights || !holding.weights)
      throw new Failed('edge/refused', `weights ${body.weights} are not those that this pod trained last`);
    const completions = await runtimes[body.runtime].answer(holding.weights.bytes, prompts, { signal: call.signal });
    call.send(jobAnswered, { ...trained, completions });
    const { run, job, pod, generation, token, seconds } = body;
    call.send(leaseEnded, { run, job, pod, generation, token, seconds });
  };
