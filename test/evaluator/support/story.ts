import type { Sent } from '#kit/actor';
import type { Episode, episodeGraded, workspaceChecked } from '#protocol/episode';
import type { Finding } from '#protocol/finding';
import type { BodyOf, Message } from '#protocol/message';
import type { Verdict } from '#protocol/verdict';
import { evaluator } from '../../../services/evaluator/actor.ts';
import { catalogue, type Known } from '../../../services/evaluator/catalogue.ts';

export const specOf = (family: string): Known => {
  const known = [...catalogue.values()].find((one) => one.family.name === family);
  if (!known) throw new Error(`the catalogue has no spec of ${family}`);
  return known;
};

export const hash = (letter: string): string => letter.repeat(64);
export const episode: Episode = {
  run: 'r1',
  episode: 'e1',
  group: 'g1',
  purpose: 'training',
  spec: specOf('reverse').spec.id,
  policy: 3,
  formula: 'reference',
};
const finding: Finding = { code: 'files/missing', file: 'task.json', line: null, sentence: 'task.json is not there' };
const job = { runtime: 'micro', baseModel: 'micro-s', seconds: 30 } as const;

type Checked = BodyOf<typeof workspaceChecked>;
/** A workspace, by a letter, that was found valid or not. */
export const checked = (letter: string, valid: boolean, submit = true): Checked => ({
  ...episode,
  workspace: hash(letter),
  transcript: hash(letter),
  submit,
  ...(valid ? { findings: [], job } : { findings: [finding], job: null }),
});

export const graded = (letter: string, after: number[], of: Partial<Episode> = {}): BodyOf<typeof episodeGraded> => ({
  ...episode,
  ...of,
  workspace: hash(letter),
  pod: 'p1',
  weights: hash('e'),
  fault: null,
  curve: [],
  seconds: 3,
  after,
  baselines: { 'micro-s': after.map(() => 0), 'micro-m': after.map(() => 0) },
  referenceSeconds: 12,
});

export const submitted = (letter: string) => ({
  ...episode,
  job: 'e1',
  experiment: null,
  workspace: hash(letter),
  ...job,
});

export interface Said {
  readonly message: Message;
  readonly body: unknown;
}
export const say = <B>(message: Message<B>, body: B): Said => ({ message: message as Message, body });

/** Tells an evaluator all of it, in this order. */
export function play(story: readonly Said[]): { state: typeof evaluator.initial; sent: Sent[] } {
  const sent: Sent[] = [];
  let state = evaluator.initial;
  for (const said of story) {
    const turn = evaluator.step(state, said, { address: 'r1.e1', now: 1_000 });
    state = turn.state;
    sent.push(...turn.sent);
  }
  return { state, sent };
}

export const messagesOf = (sent: readonly Sent[], name: string): { to: string; body: Record<string, unknown> }[] =>
  sent.flatMap((one) => {
    if (one.kind !== 'message' || !one.sealed.subject.endsWith(`.${name}`)) return [];
    return [{ to: one.sealed.subject.split('.')[1] ?? '', body: Object(one.sealed.body) }];
  });

export const verdictsOf = (sent: readonly Sent[]): Verdict[] =>
  sent.flatMap((one) => (one.kind === 'value' && one.value.name === 'verdict' ? [one.body as Verdict] : []));
