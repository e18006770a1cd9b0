import type { Turn } from '#kit/actor';
import type { BodyOf } from '#protocol/message';
import {
  type ProbeResult,
  passedOn,
  probeAgent,
  probeDue,
  type probeFailed,
  type probeHome,
  probeLife,
  probeResult,
  type probeStart,
} from '#protocol/probe';

/** Where a probe is; the instances that are runs are not probes. */
interface Probing {
  readonly probe: 'new' | 'travelling' | 'home' | 'lost';
}

export function start<S extends Probing>(state: S, { probe, seconds }: BodyOf<typeof probeStart>, turn: Turn): S {
  if (state.probe !== 'new') return state;
  turn.later(seconds, probeDue, { probe });
  turn.send(probeAgent, passedOn({ probe, seen: [] }, 'conductor', turn.now));
  turn.set(probeResult, { version: 1, phase: 'travelling', seen: [], failure: null });
  return { ...state, probe: probeLife.step(state.probe, 'travelling') };
}

export function home<S extends Probing>(state: S, leg: BodyOf<typeof probeHome>, turn: Turn): S {
  const { seen } = passedOn(leg, 'conductor', turn.now);
  return end(state, turn, { phase: 'home', seen, failure: null });
}

export const failed = <S extends Probing>(state: S, { seen, failure }: BodyOf<typeof probeFailed>, turn: Turn): S =>
  end(state, turn, { phase: 'lost', seen, failure });

export function due<S extends Probing>(state: S, { probe }: BodyOf<typeof probeDue>, turn: Turn): S {
  const failure = { code: 'route/probe-lost' as const, detail: `probe ${probe} was not home when it was due` };
  return end(state, turn, { phase: 'lost', seen: [], failure });
}

/** A probe ends once: whatever comes after its end is late and changes nothing. */
function end<S extends Probing>(state: S, turn: Turn, result: Omit<ProbeResult, 'version'>): S {
  if (state.probe !== 'travelling') return state;
  turn.set(probeResult, { ...result, version: 2 });
  return { ...state, probe: probeLife.step(state.probe, result.phase) };
}
