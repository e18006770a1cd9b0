import type { Call } from '#kit/actor';
import { monotonic, sleep } from '#kit/clock';
import { log } from '#kit/log';
import { workspaces } from '#protocol/episode';
import { jobProgress, type jobRun, jobTrained, weights } from '#protocol/job';
import type { BodyOf } from '#protocol/message';
import type { TrainingStep } from '#protocol/training';
import { type Holding, isMine } from './holding.ts';
import { firstStepSeconds, tokens, trainingSeconds, trainings } from './metrics.ts';
import { runtimes } from './runtimes/registry.ts';
import { readWorkspace } from './workspace.ts';

type Run = BodyOf<typeof jobRun>;
const progressMs = 1_000;

/** Edge: trains the job. If the job does something wrong, that is its outcome, without weights. */
export const trainJob =
  (holding: Holding) =>
  async (body: Run, call: Call): Promise<void> => {
    if (!isMine(holding, body)) return;
    const accepted = monotonic();
    const { files, train } = readWorkspace(await call.blobs.get(workspaces.name, body.workspace));
    const { job, runtime, baseModel, seconds: most } = body;
    const progress = progressOf(body, call, train.steps);
    try {
      const { curve, seconds, fault, ...made } = await runtimes[runtime].train(
        { baseModel, train, files, seconds: most },
        {
          signal: call.signal,
          onStep: (step) => {
            if (!progress.step) firstStepSeconds.observe({ runtime }, (monotonic() - accepted) / 1000);
            tokens.inc({ runtime }, step.tokens);
            progress.step = step;
          },
        },
      );
      trainings.inc({ runtime, outcome: fault?.code ?? 'trained' });
      trainingSeconds.observe({ runtime }, seconds);
      log.info({ job, fault, steps: curve.length, seconds }, fault ? `its own fault: ${fault.detail}` : 'trained');
      const hash = made.weights && (await call.blobs.put(weights.name, made.weights));
      holding.weights = hash && made.weights ? { hash, bytes: made.weights } : null;
      call.send(jobTrained, { ...body, weights: hash, fault, curve: [...curve], seconds });
    } finally {
      progress.ended.abort();
    }
  };

interface Progress {
  step: TrainingStep | undefined;
  readonly ended: AbortController;
}

/**
 * Reports progress about every second until `ended`; a report that cannot be sent is dropped, the next one replaces it.
 */
function progressOf(body: Run, call: Call, steps: number): Progress {
  const progress: Progress = { step: undefined, ended: new AbortController() };
  const { run, job, pod, generation, token } = body;
  const { signal } = progress.ended;
  void (async () => {
    while (!signal.aborted) {
      await sleep(progressMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      const { step = 0, reward = 0 } = progress.step ?? {};
      await call.emit(jobProgress, { run, job, pod, generation, token, step, steps, reward }).catch(() => undefined);
    }
  })();
  return progress;
}
