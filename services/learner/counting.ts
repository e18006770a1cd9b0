import type { Saved, Showing } from '#kit/actor';
import { heard, made, said } from '#kit/saved';
import { policyUpdate, policyValue } from '#protocol/policy';
import { episodeEnded } from '#protocol/verdict';
import { episodeSeconds, lastUpdate, staleness, updates, waiting } from './metrics.ts';
import type { State } from './state.ts';

/** Counts a saved turn: an awaited episode has ended, a step has begun, an update was made. */
export function countTurn(turn: Saved<State>): void {
  const ended = heard(turn, episodeEnded);
  const added = ended && inHand(turn.state, ended.episode);
  if (added && !inHand(turn.before, ended.episode)) episodeSeconds.observe({ stage: 'ended' }, added.seconds);
  for (const { version, samples } of said(turn, policyUpdate))
    for (const { episode, policy } of samples) {
      staleness.observe(version - policy);
      const learned = inHand(turn.state, episode);
      if (learned) episodeSeconds.observe({ stage: 'learned' }, learned.seconds);
    }
  if ((made(turn, policyValue)?.version ?? 0) > 0) updates.inc();
}

const inHand = ({ ended }: State, episode: string) => ended.find((one) => one.episode === episode);

export const showing: Showing<State> = {
  gauges: [...Object.values(lastUpdate), waiting],
  isShown: ({ policy }) => policy !== null,
  show({ ended, did }, { address }) {
    const [run = ''] = address.split('.');
    waiting.set({ run }, ended.length);
    if (!did) return;
    for (const name of Object.keys(lastUpdate) as (keyof typeof lastUpdate)[]) lastUpdate[name].set({ run }, did[name]);
  },
};
