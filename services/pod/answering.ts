import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import { type jobAnswer, jobAnswered, leaseEnded } from '#protocol/job';
import type { BodyOf } from '#protocol/message';
import { type Holding, isMine } from './holding.ts';
import { runtimes } from './runtimes/registry.ts';

/** Edge: what the model that was just trained says to each prompt. After that the pod is free. */
export const answer =
  (holding: Holding) =>
  async (body: BodyOf<typeof jobAnswer>, call: Call): Promise<void> => {
    if (!isMine(holding, body)) return;
    const { prompts, ...trained } = body;
    // a process that lost what it trained is another process, and this lease was not its
    if (holding.weights?.hash !== body.weights || !holding.weights)
      throw new Failed('edge/refused', `weights ${body.weights} are not those that this pod trained last`);
    const completions = await runtimes[body.runtime].answer(holding.weights.bytes, prompts, { signal: call.signal });
    call.send(jobAnswered, { ...trained, completions });
    const { run, job, pod, generation, token, seconds } = body;
    call.send(leaseEnded, { run, job, pod, generation, token, seconds });
  };
