// Tokens: what an endpoint gave is stored as it gave it, and nothing is stored of what it did not give.
import test from 'ava';
import { sequencesOf } from '#protocol/sequence';
import { transcript } from '#protocol/transcript';
import { openai } from '../../../services/agent/openai/mind.ts';
import type { Mishap, Options } from '../../support/endpoint/server.ts';
import { answerTokens, logprobOf, promptTokens } from '../../support/endpoint/tokens.ts';
import { afresh, at, call, decide, endpointAt, finishing, play, saying, transcriptOf } from './play.ts';

test.beforeEach(() => afresh());

const answers = [
  { thinking: 'First I look around.', text: 'I look.', calls: [call('list_files'), call('get_baseline_scores')] },
  {
    thinking: 'Nothing there.',
    text: 'I write.',
    calls: [call('write_file', { file: 'notes.md', text: 'reverse "it"' })],
  },
  { text: 'And read.', calls: [call('read_file', { file: 'notes.md' })] },
];

for (const calls of ['native', 'text'] as const)
  test.serial(
    `the tokens of an episode are those that the endpoint saw and sampled, in one sequence (${calls})`,
    async (t) => {
      const spoken = answers.map(({ thinking, text }) => ({
        ...(thinking ? { thinking } : {}),
        text: `${text}\n<call list_files>\n</call>`,
      }));
      const said = calls === 'native' ? answers : spoken;
      const server = await saying(t, said);
      const played = await play(at(server, { endpoint: endpointAt(server, { calls }) }), 3);
      const { moves } = transcript.parse(transcriptOf(played));
      const [sequence, ...others] = sequencesOf(moves);
      t.is(others.length, 0);
      // 1. it is the last prompt and the last answer, as the server counted them
      const last = server.requests.at(-1);
      const whole = last ? [...promptTokens(last, false), ...answerTokens(said[2] ?? {})] : [];
      t.deepEqual(sequence?.tokens, whole);
      // 2. the mask is on exactly what was sampled, with its log-probabilities
      const sampled = said.map(answerTokens);
      t.is(sequence?.mask.filter((one) => one === 1).length, sampled.flat().length);
      t.deepEqual(
        sequence?.logprobs.filter((_, place) => sequence.mask[place] === 1),
        sampled.flatMap((tokens) => tokens.map(logprobOf)),
      );
      for (const { usage, sampled: stored } of moves)
        t.is(usage.promptTokens, (stored?.kept ?? 0) + (stored?.prompt.length ?? 0));
    },
  );

test.serial('a template that forgets what was thought parts the sequence, and no token is lost', async (t) => {
  const server = await saying(t, answers, { forgets: true });
  const { moves } = await play(at(server), 3);
  t.deepEqual(
    moves.map(({ sampled }) => (sampled?.kept ?? -1) > 0),
    [false, false, false],
  );
  const sequences = sequencesOf(moves);
  t.is(sequences.length, 3);
  for (const [turn, { tokens }] of sequences.entries()) {
    const request = server.requests[turn];
    t.deepEqual(tokens, request ? [...promptTokens(request, true), ...answerTokens(answers[turn] ?? {})] : []);
  }
});

test.serial('once texts are dropped, another sequence begins', async (t) => {
  const long = { calls: [call('write_file', { file: 'a.js', text: 'abcdefghij'.repeat(800) })] };
  const server = await saying(t, [long, long, long, long], { window: 9_000 });
  const { moves } = await play(at(server), 5);
  const sequences = sequencesOf(moves);
  t.true(sequences.length > 1 && sequences.length < moves.length, String(sequences.length));
  t.true(moves.every(({ sampled }) => sampled !== null));
});

const without: Record<string, [Partial<Options>, Mishap, RegExp]> = {
  'a server that is no vLLM': [{ vllm: false }, {}, /refuses requests for token ids and log-probabilities/],
  'a server that ignores what it does not know': [{ tokenIds: false }, {}, /gives no token ids/],
};
for (const [name, [more, , why]] of Object.entries(without))
  test.serial(`from ${name} nothing can be learned, and a run is told why`, async (t) => {
    const server = await saying(t, answers, more);
    const told = await openai.check(endpointAt(server), new AbortController().signal);
    t.is(told.learnable, 'nothing');
    t.regex(told.why, why);
    t.true(told.why.includes(server.baseUrl));
    t.is((await decide(server)).sampled, undefined);
  });

const partial: Record<string, Mishap> = {
  'without log-probabilities': { withoutLogprobs: true },
  'that lost some ids': { lostIds: 2 },
};
for (const [name, wrong] of Object.entries(partial))
  test.serial(`of an answer ${name} no token is stored, but its calls are made`, async (t) => {
    const server = await saying(t, [...answers, finishing], {
      mishap: ({ messages }) => (messages.length > 3 && messages.length < 7 ? wrong : undefined),
    });
    t.deepEqual(await openai.check(endpointAt(server), new AbortController().signal), { learnable: 'tokens', why: '' });
    const { moves } = await play(at(server), 4);
    t.deepEqual(
      moves.map(({ sampled }) => sampled !== null),
      [true, false, true, true],
    );
    t.is(moves[1]?.calls[0]?.tool, 'write_file');
    t.is(
      sequencesOf(moves).flatMap(({ mask }) => mask.filter((one) => one === 1)).length,
      [0, 2].reduce((sum, turn) => sum + answerTokens(answers[turn] ?? {}).length, answerTokens(finishing).length),
    );
  });

test.serial('from tokens of a reshaped distribution nothing can be learned', async (t) => {
  const server = await saying(t, answers);
  const cold = endpointAt(server, { temperature: 0.7 });
  const told = await openai.check(cold, new AbortController().signal);
  t.is(told.learnable, 'nothing');
  t.regex(told.why, /temperature 0\.7 and topP 1, but log-probabilities are exact only at 1 and 1/);
});
