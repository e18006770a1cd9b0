import { z } from 'zod';
import { actor, type Turn } from '#kit/actor';
import { episodeOverdue, episodeStart } from '#protocol/episode';
import { mindCheck, mindTold } from '#protocol/mind';
import { policyOpen, policyPublished } from '#protocol/policy';
import { probeDue, probeFailed, probeHome, probeStart } from '#protocol/probe';
import { catalogueTold, catalogueWanted, runFailed, runRecord, runStart, runStop } from '#protocol/run';
import { episodeEnded } from '#protocol/verdict';
import { hash, nextGroup } from './curriculum.ts';
import * as probe from './probe.ts';
import {
  admit,
  answered,
  begun,
  close,
  counted,
  finish,
  isKnown,
  offered,
  prepared,
  published,
  recordOfRun,
} from './progress.ts';
import { showing } from './showing.ts';
import { type Group, type RunState, runState } from './state.ts';

/** An instance is a run or a probe. */
const state = { run: runState.nullable(), probe: z.enum(['new', 'travelling', 'home', 'lost']) };
type State = z.infer<z.ZodObject<typeof state>>;

/**
 * Every handler of a run ends with this: begins what may begin, closes what is complete, and shows people the result.
 */
function goOn(state: State, run: RunState, turn: Turn): State {
  let now = close(prepared(run), turn.now);
  for (let next = nextGroup(now); next; next = nextGroup(now)) {
    for (const episode of next.group.left) begin(now, { ...next, episode }, turn);
    now = admit(now, next.group);
  }
  now = { ...finish(now, turn.now), version: now.version + 1 };
  turn.set(runRecord, recordOfRun(now));
  return { ...state, run: now };
}

interface Beginning {
  readonly group: Group;
  readonly policy: { readonly version: number; readonly blob: string };
  readonly episode: string;
}

function begin({ config, specs }: RunState, { group, policy, episode }: Beginning, turn: Turn): void {
  const spec = specs.find(({ id }) => id === group.spec);
  if (!spec) throw new Error(`there is no spec ${group.spec}`);
  const { id, family, text, limits } = spec;
  const [run = ''] = turn.address.split('.');
  const baton = {
    run,
    episode,
    group: group.group,
    purpose: group.step === null ? ('evaluation' as const) : ('training' as const),
    spec: group.spec,
    policy: policy.version,
    formula: config.formula,
    begunAt: turn.now,
  };
  const seed = hash(config.seed, policy.version, ...new TextEncoder().encode(episode));
  const { mind, endpoint, allowance } = config;
  const task = { id, text, limits };
  turn.send(episodeStart, { ...baton, mind, endpoint, allowance, family, seed, task, policyBlob: policy.blob });
  turn.later(config.episodeSeconds, episodeOverdue, { ...baton, seconds: config.episodeSeconds });
}

export const conductor = actor('conductor', state, { run: null, probe: 'new' })
  .shows(showing)
  .on(runStart, (state, { run, config }, turn) => {
    if (state.run) return state;
    turn.send(catalogueWanted, { run });
    turn.send(mindCheck, { run, mind: config.mind, endpoint: config.endpoint });
    turn.send(policyOpen, { run, config });
    return goOn(state, begun(config, turn.now), turn);
  })
  .on(catalogueTold, (state, { specs }, turn) => {
    if (!state.run || state.run.specs.length > 0 || state.run.over !== null) return state;
    return goOn(state, offered(state.run, specs), turn);
  })
  .on(mindTold, (state, told, turn) => {
    if (!state.run || state.run.hasMind || state.run.over !== null) return state;
    return goOn(state, answered(state.run, told), turn);
  })
  .on(policyPublished, (state, { version, blob, stalenessMax }, turn) => {
    if (!state.run || isKnown(state.run, version)) return state;
    return goOn(state, published(state.run, { version, blob }, stalenessMax), turn);
  })
  .on(episodeEnded, (state, ended, turn) => {
    const group = state.run?.groups.find(({ left }) => left.includes(ended.episode));
    if (!state.run || !group) return state;
    return goOn(state, counted(state.run, group, ended), turn);
  })
  .on(runStop, (state, _, turn) => {
    if (!state.run || state.run.over !== null) return state;
    return goOn(state, { ...state.run, over: 'stopped' }, turn);
  })
  .on(runFailed, (state, { failure }, turn) => {
    if (!state.run || state.run.over !== null) return state;
    return goOn(state, { ...state.run, over: 'failed', failure }, turn);
  })
  .on(probeStart, probe.start)
  .on(probeHome, probe.home)
  .on(probeFailed, probe.failed)
  .on(probeDue, probe.due);
