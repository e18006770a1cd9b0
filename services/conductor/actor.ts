import { z } from 'zod';
import { actor, type Turn } from '#kit/actor';
import {
  type ProbeResult,
  passedOn,
  probeAgent,
  probeDue,
  probeFailed,
  probeHome,
  probeLife,
  probeResult,
  probeStart,
} from '#protocol/probe';

const state = { phase: z.enum(['new', 'travelling', 'home', 'lost']) };
type State = z.infer<z.ZodObject<typeof state>>;

/** A probe ends once: whatever comes after its end is late and changes nothing. */
function end(state: State, turn: Turn, result: Omit<ProbeResult, 'version'>): State {
  if (state.phase !== 'travelling') return state;
  turn.set(probeResult, { ...result, version: 2 });
  return { phase: probeLife.step(state.phase, result.phase) };
}

export const conductor = actor('conductor', state, { phase: 'new' })
  .on(probeStart, (state, { probe, seconds }, turn) => {
    if (state.phase !== 'new') return state;
    turn.later(seconds, probeDue, { probe });
    turn.send(probeAgent, passedOn({ probe, seen: [] }, 'conductor', turn.now));
    turn.set(probeResult, { version: 1, phase: 'travelling', seen: [], failure: null });
    return { phase: probeLife.step(state.phase, 'travelling') };
  })
  .on(probeHome, (state, leg, turn) => {
    const { seen } = passedOn(leg, 'conductor', turn.now);
    return end(state, turn, { phase: 'home', seen, failure: null });
  })
  .on(probeFailed, (state, { seen, failure }, turn) => end(state, turn, { phase: 'lost', seen, failure }))
  .on(probeDue, (state, { probe }, turn) => {
    const failure = { code: 'route/probe-lost' as const, detail: `probe ${probe} was not home when it was due` };
    return end(state, turn, { phase: 'lost', seen: [], failure });
  });
