import * as episode from './episode.ts';
import * as experiment from './experiment.ts';
import * as job from './job.ts';
import type { Message } from './message.ts';
import * as mind from './mind.ts';
import * as move from './move.ts';
import * as pod from './pod.ts';
import * as policy from './policy.ts';
import * as probe from './probe.ts';
import * as run from './run.ts';
import type { BlobStore, Value } from './value.ts';
import * as verdict from './verdict.ts';

/**
 * Every hop there is, in the order of the story: read this first. test/architecture.test.ts checks it against the code:
 * each service handles exactly the messages addressed to it, and sends only those that are from it.
 */
export const route: readonly Message[] = [
  // a run begins: specs, a mind that answers, and a first policy
  run.runStart,
  run.catalogueWanted,
  verdict.baselineMeasured,
  run.catalogueTold,
  mind.mindCheck,
  mind.mindTold,
  policy.policyOpen,
  policy.policyOpened,
  // an episode: moves until a job is submitted
  episode.episodeStart,
  move.moveWanted,
  move.moveMade,
  episode.workspaceCheck,
  episode.workspaceChecked,
  episode.findingsTold,
  episode.episodeFinish,
  // experiments on the way: jobs like any other, but asked other items, and without effect on the reward
  experiment.experimentCheck,
  experiment.experimentChecked,
  experiment.experimentEnded,
  experiment.experimentTold,
  // its job: trained by a pod, and asked there what the evaluator wants to know
  job.jobSubmit,
  job.jobRun,
  job.jobProgress,
  job.jobTrained,
  job.jobAnswer,
  job.jobAnswered,
  job.leaseEnded,
  // its reward, and what is learned from it
  episode.episodeGraded,
  verdict.episodeEnded,
  policy.policyUpdate,
  policy.policyUpdated,
  policy.policyPublished,
  // what may go wrong, or be stopped
  move.moveFailed,
  job.jobFailed,
  job.jobCancel,
  episode.episodeFailed,
  episode.episodeOverdue,
  policy.policyFailed,
  run.runFailed,
  run.runStop,
  // the baselines that everything is compared with
  verdict.baselinesWanted,
  verdict.baselinesCompared,
  // the pods
  pod.podsScale,
  pod.podDrain,
  pod.podCreate,
  pod.podCreated,
  pod.podWarm,
  pod.podReady,
  pod.podLost,
  pod.podDelete,
  pod.podGone,
  pod.poolTick,
  pod.podsList,
  pod.podsListed,
  // a probe of all this
  probe.probeStart,
  probe.probeAgent,
  probe.probePool,
  probe.probePod,
  probe.probeEvaluator,
  probe.probeLearner,
  probe.probeHome,
  probe.probeFailed,
  probe.probeDue,
];

export const values: readonly Value[] = [
  run.runRecord,
  verdict.verdict,
  verdict.baseline,
  verdict.comparison,
  policy.policyValue,
  pod.pods,
  probe.probeResult,
];

export const blobStores: readonly BlobStore[] = [
  episode.workspaces,
  episode.transcripts,
  job.weights,
  policy.policies,
  probe.probeBlobs,
];
