// An agent process that is killed while its language model thinks: another one goes on, and asks nothing twice that was
// answered.
import test, { type ExecutionContext } from 'ava';
import { blobs } from '#kit/blobs';
import { pack, unpack } from '#kit/wire';
import { episodeFailed, episodeFinish, episodeStart, transcripts } from '#protocol/episode';
import { type BodyOf, seal } from '#protocol/message';
import { policies } from '#protocol/policy';
import { mailOf } from '#protocol/streams';
import { transcript } from '#protocol/transcript';
import { leashed } from '../../../deploy/local/leash.ts';
import { flatHouse, until } from '../../support/house.ts';
import { moduleFile } from '../../support/root.ts';
import { start } from '../scene.ts';
import { call, endpointAt, saying } from './play.ts';

const main = moduleFile('../../../services/agent/main', import.meta.url);

function startAgent(t: ExecutionContext, url: string): { kill9: () => Promise<void> } {
  const more = { UPLIFT_NATS_URL: url, UPLIFT_NATS_FLAT: 'true', UPLIFT_AGENT_ANSWER_SECONDS: '60' };
  const leash = leashed(process.execPath, [main], { env: { ...process.env, ...more, UPLIFT_LOG_LEVEL: 'silent' } });
  const kill9 = async (): Promise<void> => {
    leash.child.kill('SIGKILL');
    await leash.ended;
  };
  t.teardown(kill9);
  return { kill9 };
}

test('an episode whose agent is killed in the middle of an answer goes on from its last move, and no answer is asked for twice', async (t) => {
  t.timeout(120_000);
  const house = await flatHouse(t, 'current');
  const bus = await house.bus('conductor');
  const answers = [
    { text: 'one', calls: [call('list_files')] },
    { text: 'two', calls: [call('write_file', { file: 'notes.md', text: 'two' })] },
    { text: 'three', calls: [call('finish')] },
  ];
  // 1. the second answer never comes, until it is asked for again
  const server = await saying(t, answers, {
    mishap: ({ messages }, times) => ({
      hang: times === 0 && messages.filter(({ role }) => role === 'assistant').length === 1,
    }),
  });
  const policyBlob = await blobs(bus).put(policies.name, new Uint8Array());
  const body = { ...start, mind: 'openai', endpoint: endpointAt(server), policyBlob };
  const first = startAgent(t, house.server.url);
  for (const { subject, schema, body: sealed } of seal(episodeStart, body, 'conductor'))
    await bus.publish({ subject, schema, data: pack(sealed), id: subject, cause: null, due: null, failure: null });
  await until('the second answer is waited for', () => server.requests.length === 2, 40);
  await first.kill9();
  startAgent(t, house.server.url);
  // 2. another process asks for the second answer, and for nothing that was there
  const heard = async (name: string) =>
    await bus.last(mailOf('evaluator'), `msg.evaluator.${start.run}.${start.episode}.agent.${name}`);
  await until(
    'it is over',
    async () => Boolean((await heard(episodeFinish.name)) ?? (await heard(episodeFailed.name))),
    60,
  );
  const finished = await heard(episodeFinish.name);
  const { transcript: hash } = unpack(finished?.data ?? new Uint8Array()) as BodyOf<typeof episodeFinish>;
  const stored = transcript.parse(
    JSON.parse(Buffer.from(await blobs(bus).get(transcripts.name, hash ?? '')).toString()),
  );
  t.deepEqual(
    stored.moves.map(({ text }) => text),
    ['one', 'two', 'three'],
  );
  t.deepEqual([...server.answered.values()], [1, 1, 1]);
  t.is(server.requests.length, 4);
});
