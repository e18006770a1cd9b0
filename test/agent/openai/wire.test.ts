// The wire: everything that goes wrong between the agent and an endpoint, over real HTTP.
import test, { type ExecutionContext } from 'ava';
import { Failed } from '#kit/boundary';
import type { FailureCode } from '#protocol/failure';
import { openai } from '../../../services/agent/openai/mind.ts';
import type { Mishap } from '../../support/endpoint/server.ts';
import { afresh, at, call, decide, endpointAt, finishing, saying } from './play.ts';

const listing = { text: 'I look.', thinking: 'What is there?', calls: [call('list_files')] };

test.beforeEach(() => afresh());

const failing = async (t: ExecutionContext, asked: Promise<unknown>): Promise<Failed> => {
  const error = await t.throwsAsync(asked);
  if (!(error instanceof Failed)) throw error ?? new Error('it did not fail');
  return error;
};

/** These mishaps pass: the request is made again, and then all is well. */
const passing: Record<string, Mishap> = {
  '429 that asks to wait': { status: 429, retryAfter: '0.3' },
  '429 that does not say how long': { status: 429 },
  '500': { status: 500 },
  'a closed connection in the middle': { half: 'closed' },
  'a stream that just ends': { half: 'ended' },
  'a chunk that is no JSON': { badJson: 'syntax' },
  'a chunk of another shape': { badJson: 'shape' },
};
for (const [name, wrong] of Object.entries(passing))
  test.serial(`after ${name} the answer is asked for once more, and is whole`, async (t) => {
    const server = await saying(t, [listing], { mishap: (_, times) => (times === 0 ? wrong : undefined) });
    const began = performance.now();
    const { text, thinking, calls, model } = await decide(server);
    t.deepEqual({ text, thinking, model }, { text: 'I look.', thinking: 'What is there?', model: server.model });
    t.deepEqual(calls, [{ tool: 'list_files', input: {} }]);
    t.is(server.requests.length, 2);
    t.deepEqual(server.requests[0], server.requests[1]);
    if (wrong.retryAfter) t.true(performance.now() - began >= 300);
  });

test.serial('a slow first token, and a slow stream, are waited for', async (t) => {
  const server = await saying(t, [listing], { mishap: () => ({ firstTokenMs: 400, chunkMs: 20 }) });
  t.is((await decide(server)).text, 'I look.');
  t.is(server.requests.length, 1);
});

/** These do not pass. */
const lasting: Record<string, [Mishap, FailureCode, RegExp]> = {
  'a 429 that does not end': [{ status: 429 }, 'mind/busy', /answered 429.*asked \d+ times within 2 s/s],
  'a 429 that asks for an hour': [{ status: 429, retryAfter: '3600' }, 'mind/busy', /asks to wait for 3600 s/],
  'a 500 that does not end': [{ status: 500 }, 'mind/busy', /answered 500/],
  'a hang': [{ hang: true }, 'mind/unreachable', /was silent for 1 s|had not finished/],
  'half a stream each time': [{ half: 'closed' }, 'mind/unreachable', /broke off its answer/],
  'streams that never are JSON': [{ badJson: 'syntax' }, 'mind/unfit-answer', /is not JSON/],
  'another model': [
    { otherModel: 'gpt-other' },
    'mind/unfit-answer',
    /"tiny-instruct" was asked, but "gpt-other" answered/,
  ],
  'an answer 403': [{ status: 403 }, 'mind/refused', /answered 403.*UPLIFT_AGENT_MIND_KEY/s],
  'an answer 404': [{ status: 404 }, 'mind/refused', /answered 404.*\/models lists the models/s],
};
for (const [name, [wrong, code, says]] of Object.entries(lasting))
  test.serial(`${name} ends as ${code}, and the sentence says where and what`, async (t) => {
    afresh({ answerSeconds: 2 });
    const server = await saying(t, [listing], { mishap: () => wrong });
    const error = await failing(t, decide(server));
    t.is(error.code, code);
    t.regex(error.message, says);
    t.true(error.message.includes(server.baseUrl) && error.message.includes(server.model), error.message);
  });

test.serial('nobody there, a wrong key and an unknown model are told apart', async (t) => {
  afresh({ answerSeconds: 1, mindKey: 'sk-wrong-key-0001' });
  const server = await saying(t, [], { key: 'sk-right-key-0001' });
  const refused = await failing(t, openai.check(endpointAt(server), new AbortController().signal));
  t.is(refused.code, 'mind/refused');
  t.regex(refused.message, /answered 401.*UPLIFT_AGENT_MIND_KEY/s);
  afresh({ mindKey: 'sk-right-key-0001' });
  const other = await failing(t, openai.check(endpointAt({ ...server, model: 'x' }), new AbortController().signal));
  t.regex(other.message, /model "x" at .* answered 404.*does not exist/s);
  await server.close();
  afresh({ answerSeconds: 1 });
  const gone = await failing(t, openai.check(endpointAt(server), new AbortController().signal));
  t.is(gone.code, 'mind/unreachable');
  t.regex(gone.message, /cannot be reached \(ECONNREFUSED\)/);
});

test.serial('a mind without an endpoint is refused, and one that is told to stop does stop', async (t) => {
  const { code } = await failing(t, openai.check(null, new AbortController().signal));
  t.is(code, 'mind/refused');
  const server = await saying(t, [], { mishap: () => ({ hang: true }) });
  const stop = new AbortController();
  const asked = decide(server, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('told to stop')), 100);
  await t.throwsAsync(asked, { message: 'told to stop' });
});

test.serial('the same moment makes the same request, another one another', async (t) => {
  const server = await saying(t, [listing]);
  await decide(server);
  await decide(server);
  await decide(server, { seed: 8 });
  await decide(server, { episode: 'r1.e2' });
  const [one, two, ...others] = server.requests;
  t.deepEqual(one, two);
  t.deepEqual(
    others.map(({ seed }) => seed === one?.seed),
    [false, false],
  );
  t.deepEqual([...server.answered.values()], [2, 1, 1]);
});

test.serial('all calls come through when a server gives each of them the same index', async (t) => {
  const calls = [call('list_files'), call('read_file', { file: 'a.js' })];
  const server = await saying(t, [{ calls }], { mishap: () => ({ indexless: true }) });
  t.deepEqual((await decide(server)).calls, [
    { tool: 'list_files', input: {} },
    { tool: 'read_file', input: { file: 'a.js' } },
  ]);
});

test.serial('what an answer costs is counted, and guessed where the endpoint does not count', async (t) => {
  const server = await saying(t, [listing], { vllm: false });
  const prices = { inputUsdPerMillion: 1, outputUsdPerMillion: 10 };
  const { usage } = await decide(server, { endpoint: endpointAt(server, prices) });
  t.true((usage?.promptTokens ?? 0) > 1_000 && (usage?.completionTokens ?? 0) > 5);
  t.is(usage?.usd, ((usage?.promptTokens ?? 0) + 10 * (usage?.completionTokens ?? 0)) / 1e6);
  const silent = await saying(t, [listing], { vllm: false, mishap: () => ({ withoutUsage: true }) });
  t.true(((await decide(silent)).usage?.completionTokens ?? 0) > 0);
});

for (const [name, more, style] of [
  ['a server without tool calls', { tools: false }, 'text'],
  ['a hosted API', { vllm: false, window: null }, 'native'],
  ['a hosted API with another limit', { vllm: false, limit: 'max_completion_tokens' }, 'native'],
  ['a small server that knows little', { vllm: false, tools: false, lora: false }, 'text'],
] as const)
  test.serial(`${name} is found out and asked as it can be`, async (t) => {
    const server = await saying(t, [], more);
    await decide(server);
    t.is(server.requests[0]?.tools === undefined ? 'text' : 'native', style);
    t.deepEqual(
      await openai.check(endpointAt(server), new AbortController().signal).then(({ learnable }) => learnable),
      'vllm' in more ? 'nothing' : 'tokens',
    );
  });

test.serial('a run that insists on tool calls is refused where there are none', async (t) => {
  const server = await saying(t, [finishing], { tools: false });
  const native = endpointAt(server, { calls: 'native' });
  const error = await failing(t, openai.decide(at(server, { endpoint: native })));
  t.is(error.code, 'mind/refused');
  t.regex(error.message, /answered 400.*no parser of tool calls/s);
  t.is((await openai.decide(at(server, { endpoint: endpointAt(server, { calls: 'text' }) }))).text, 'I am done.');
});
