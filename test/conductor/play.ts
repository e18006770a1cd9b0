import type { Sent } from '#kit/actor';
import { type Episode, episodeOf } from '#protocol/episode';
import type { Message } from '#protocol/message';
import { mindTold } from '#protocol/mind';
import { policyPublished } from '#protocol/policy';
import { catalogueTold, type RunConfig, runConfig, runStart, type Spec } from '#protocol/run';
import { type EpisodeEnded, episodeEnded } from '#protocol/verdict';
import { conductor } from '../../services/conductor/actor.ts';
import { specOf as specOfRun } from '../../services/conductor/curriculum.ts';

const limits = { steps: 60, seconds: 30, baseModels: ['micro-m'], experiments: 4 };
const specOf = (family: string, use: Spec['use'], n: number): Spec => ({
  id: `${family}-${n}`,
  family,
  use,
  text: `train a model to ${family}`,
  limits,
});
export const specs: Spec[] = [
  ...['reverse', 'uppercase', 'sort'].flatMap((family) => [0, 1].map((n) => specOf(family, 'training', n))),
  ...['behead', 'rotate'].flatMap((family) => [0, 1, 2].map((n) => specOf(family, 'held-out', n))),
  specOf('secret', 'impossible', 0),
];
export const specOfGroup = (seed: number, index: number) =>
  specOfRun({ specs, config: runConfig.parse({ seed }) }, index)?.family;
export const blobOf = (version: number): string => version.toString(16).padStart(64, '0');

interface Said {
  readonly message: Message;
  readonly body: unknown;
}
interface Told {
  readonly episode: string;
  readonly policy: number;
  readonly step: number | null;
}

/** Plays a run to its end; `pick` chooses which of the waiting messages comes next, and what comes twice. */
export class Play {
  state = conductor.initial;
  readonly begun: Told[] = [];
  readonly waiting: Said[] = [];
  most = 0;
  #now = 1_000_000;
  #version = 0;
  #running = new Map<string, Episode>();
  #learned = new Map<number, number>();
  readonly config: RunConfig;

  constructor(config: Partial<RunConfig>) {
    this.config = runConfig.parse(config);
    this.say(runStart, { run: 'r1', config: this.config });
    this.waiting.push({ message: catalogueTold as Message, body: { run: 'r1', specs } });
    this.waiting.push({ message: mindTold as Message, body: { run: 'r1', learnable: 'choices', why: '' } });
    this.publish();
  }

  say<B>(message: Message<B>, body: B): void {
    this.#now += 10;
    const { state, sent } = conductor.step(this.state, { message, body }, { address: 'r1.main', now: this.#now });
    this.state = state;
    for (const one of sent) this.#hear(one);
    this.most = Math.max(this.most, this.#running.size);
  }

  publish(): void {
    const body = { run: 'r1', version: this.#version, blob: blobOf(this.#version), stalenessMax: 0 };
    this.waiting.push({ message: policyPublished as Message, body });
  }

  #hear(sent: Sent): void {
    if (sent.kind !== 'message' || !sent.sealed.subject.endsWith('.episode-start')) return;
    const episode = episodeOf(sent.sealed.body as Episode);
    const group = Number(episode.group.slice(1));
    const step = episode.purpose === 'training' ? Math.floor(group / this.config.groupsPerStep) : null;
    this.begun.push({ episode: episode.episode, policy: episode.policy, step });
    this.#running.set(episode.episode, episode);
  }

  /** One of those under way ends; the learner takes a step when all of that step have. */
  end(at: number, outcome: EpisodeEnded['outcome']): void {
    const episode = [...this.#running.values()][at % this.#running.size];
    if (!episode) return;
    this.#running.delete(episode.episode);
    this.waiting.push({ message: episodeEnded as Message, body: endingOf(episode, outcome) });
    if (episode.purpose === 'evaluation') return;
    const step = Math.floor(Number(episode.group.slice(1)) / this.config.groupsPerStep);
    this.#learned.set(step, (this.#learned.get(step) ?? 0) + 1);
    while (this.#learned.get(this.#version) === this.config.groupsPerStep * this.config.groupSize) {
      this.#version += 1;
      this.publish();
    }
  }

  /** One of those that wait is heard of, perhaps twice. */
  tell(number: number): void {
    const [said] = this.waiting.splice(number % this.waiting.length, 1);
    if (!said) return;
    this.say(said.message, said.body);
    if (number % 5 === 0) this.say(said.message, said.body);
  }

  get underWay(): number {
    return this.#running.size;
  }
}

export const endingOf = (episode: Episode, outcome: EpisodeEnded['outcome']): EpisodeEnded => ({
  ...episode,
  family: 'any',
  outcome,
  reward: outcome === 'failed' ? null : outcome === 'scored' ? 0.5 : 0,
  parts: null,
  failure: outcome === 'failed' ? { code: 'pod/lost', detail: 'it went' } : null,
  transcript: null,
  jobs: outcome === 'scored' ? 1 : 0,
  podSeconds: 1,
});

const outcomes = ['scored', 'scored', 'invalid', 'failed'] as const;

/** Whatever waits is told in the order that the numbers say, and every fifth of it twice. */
export function played(play: Play, numbers: readonly number[]): Play {
  for (let n = 0; play.waiting.length > 0 || play.underWay > 0; n += 1) {
    if (n > 20_000) throw new Error('the run does not come to its end');
    const number = numbers[n % numbers.length] ?? 0;
    const tells = play.waiting.length > 0 && (play.underWay === 0 || number % 2 === 0);
    if (tells) play.tell(number);
    else play.end(number, outcomes[number % 4] ?? 'scored');
  }
  return play;
}
