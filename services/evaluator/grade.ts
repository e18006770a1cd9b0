import type { Call } from '#kit/actor';
import { Failed } from '#kit/boundary';
import { episodeFailed, episodeGraded, episodeOf } from '#protocol/episode';
import { experimentEnded } from '#protocol/experiment';
import type { Failure } from '#protocol/failure';
import { jobAnswer, type jobAnswered, type jobTrained, leaseEnded } from '#protocol/job';
import type { BodyOf } from '#protocol/message';
import type { ExperimentResult } from '#protocol/transcript';
import { pinnedOf } from './baselines.ts';
import { type Known, knownSpec, referenceSecondsOf } from './catalogue.ts';
import { failedBy, measured } from './experiments.ts';
import type { Item } from './family.ts';
import { type Baselines, hiddenItems, measure, probeItems } from './measure.ts';

type Trained = BodyOf<typeof jobTrained>;
type Answered = BodyOf<typeof jobAnswered>;

/**
 * A submission is measured on the hidden items; an experiment on the probe items, whose mean score its agent is told.
 */
const itemsOf = (known: Known, { experiment }: Trained): Item[] =>
  experiment === null ? hiddenItems(known) : probeItems(known);

/** Edge: asks the trained model the items. Only prompts leave the evaluator. */
export async function askTrained(body: Trained, call: Call): Promise<void> {
  const known = knownSpec(body.spec);
  const items = itemsOf(known, body);
  if (body.fault === null) return call.send(jobAnswer, { ...body, prompts: items.map(({ prompt }) => prompt) });
  // there is no model to ask: it counts as having answered nothing
  const seconds = Math.max(body.seconds, referenceSecondsOf(known));
  if (body.experiment === null) await grade({ ...body, seconds }, call, { known, after: items.map(() => 0) });
  else tell(body, call, failedBy(body.fault, body.experiment, body));
  freePod(body, call);
}

/** Edge: scores the answers. */
export async function gradeAnswers(body: Answered, call: Call): Promise<void> {
  const known = knownSpec(body.spec);
  const items = itemsOf(known, body);
  if (body.completions.length !== items.length)
    throw new Failed(
      'evaluator/unfit-evidence',
      `pod ${body.pod} gave ${body.completions.length} completions for ${items.length} prompts: one for each is needed`,
    );
  const after = items.map((item, at) => known.family.score(item, body.completions[at] ?? ''));
  if (body.experiment === null) await grade(body, call, { known, after });
  else tell(body, call, measured(after, body.experiment, body));
}

/** A trained job cannot be measured: if it is the submission, its episode fails; an experiment fails alone. */
export function notMeasured(body: Trained, failure: Failure, call: Pick<Call, 'send'>): void {
  if (body.experiment === null) call.send(episodeFailed, { ...episodeOf(body), failure });
  else tell(body, call, failedBy(failure, body.experiment, body));
}

/** Ends the lease of a pod that waits for prompts. */
export const freePod = ({ run, job, pod, generation, token, seconds }: Trained, call: Pick<Call, 'send'>): void =>
  call.send(leaseEnded, { run, job, pod, generation, token, seconds });

const tell = (body: Trained, call: Pick<Call, 'send'>, result: ExperimentResult): void =>
  call.send(experimentEnded, { ...episodeOf(body), result });

async function grade(body: Trained, call: Call, { known, after }: { known: Known; after: number[] }): Promise<void> {
  const { pod, weights, fault, curve, seconds, workspace } = body;
  call.send(episodeGraded, {
    ...episodeOf(body),
    ...{ pod, weights, fault, curve, seconds, workspace, after },
    baselines: await baselinesOf(known, call),
    referenceSeconds: referenceSecondsOf(known),
  });
}

/** The pinned baselines, or, if none are valid, measured now. */
const baselinesOf = async (known: Known, call: Call): Promise<Baselines> =>
  (await pinnedOf(known, call)) ?? (await measure([known], call.signal)).get(known.spec.id) ?? {};
