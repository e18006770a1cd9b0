import test, { type ExecutionContext } from 'ava';
import { blobs } from '#kit/blobs';
import type { Bus } from '#kit/bus';
import { pack, unpack } from '#kit/wire';
import {
  episodeFailed,
  episodeFinish,
  episodeStart,
  findingsTold,
  transcripts,
  workspaceCheck,
  workspaces,
} from '#protocol/episode';
import { type BodyOf, type Message, seal } from '#protocol/message';
import { moveMade } from '#protocol/move';
import { policies } from '#protocol/policy';
import type { Role, Service } from '#protocol/roles';
import { mailOf } from '#protocol/streams';
import { type Transcript, transcript } from '#protocol/transcript';
import { leashed } from '../../deploy/local/leash.ts';
import { catalogue } from '../../services/agent/catalogue/mind.ts';
import { flatHouse, until } from '../support/house.ts';
import { moduleFile } from '../support/root.ts';
import { baton, done, good, moment, policyOf, start } from './scene.ts';

const main = moduleFile('../../services/agent/main', import.meta.url);

/** The agent as it is run; gone when the test ends, or with kill -9. */
function startAgent(t: ExecutionContext, url: string): { kill9: () => Promise<void> } {
  const env = {
    ...process.env,
    UPLIFT_NATS_URL: url,
    UPLIFT_NATS_FLAT: 'true',
    UPLIFT_LOG_LEVEL: process.env.UPLIFT_TEST_LOG ?? 'silent',
  };
  const leash = leashed(process.execPath, [main], { env });
  const kill9 = async (): Promise<void> => {
    leash.child.kill('SIGKILL');
    await leash.ended;
  };
  t.teardown(kill9);
  return { kill9 };
}

async function say<B>(bus: Bus, message: Message<B>, { body, from }: { body: B; from: Role }): Promise<void> {
  for (const { subject, schema, body: sealed } of seal(message, body, from))
    await bus.publish({
      ...{ subject, schema, data: pack(sealed), id: `${subject}-${JSON.stringify(body).length}` },
      ...{ cause: null, due: null, failure: null },
    });
}

/** The last message of a kind that was said to the instance of this episode. */
async function said<B>(bus: Bus, message: Message<B>, to: Service): Promise<B | undefined> {
  const lane = message.kind === 'act' ? 'act' : 'msg';
  const found = await bus.last(mailOf(to), `${lane}.${to}.${start.run}.${start.episode}.agent.${message.name}`);
  return found && (unpack(found.data) as B);
}

async function asked(bus: Bus): Promise<BodyOf<typeof workspaceCheck>> {
  await until('a check is asked for', async () => (await said(bus, workspaceCheck, 'evaluator')) !== undefined, 40);
  return (await said(bus, workspaceCheck, 'evaluator')) as BodyOf<typeof workspaceCheck>;
}

const textOf = async (bus: Bus, store: string, hash: string): Promise<unknown> =>
  JSON.parse(Buffer.from(await blobs(bus).get(store, hash)).toString());

test('an agent that is killed goes on from its last move in another process, and makes no move twice', async (t) => {
  t.timeout(120_000);
  const house = await flatHouse(t, 'current');
  const bus = await house.bus('conductor');
  const policyBlob = await blobs(bus).put(policies.name, policyOf(good));
  const first = startAgent(t, house.server.url);
  await say(bus, episodeStart, { body: { ...start, policyBlob }, from: 'conductor' });
  // 1. it dies after its first move, or in the middle of the second
  await until('a move is made', async () => (await said(bus, moveMade, 'agent')) !== undefined, 40);
  await first.kill9();
  startAgent(t, house.server.url);
  // 2. the other one submits what the first would have submitted
  const check = await asked(bus);
  const stored = transcript.parse(await textOf(bus, transcripts.name, check.transcript));
  const expected = await playedHere();
  t.deepEqual(stored, expected.transcript);
  t.deepEqual(await textOf(bus, workspaces.name, check.workspace), expected.files);
  // 3. findings lead to one more move
  const sentence = 'all completions of the base model are worth 0';
  const findings = [{ code: 'red-team/rewards-equal', file: 'environment.js', line: null, sentence } as const];
  const { transcript: about, submit } = check;
  await say(bus, findingsTold, {
    body: { ...baton, transcript: about, submit, findings: [...findings] },
    from: 'evaluator',
  });
  await until('another check', async () => (await said(bus, workspaceCheck, 'evaluator'))?.transcript !== about, 40);
  const repaired = transcript.parse(await textOf(bus, transcripts.name, (await asked(bus)).transcript));
  t.is(repaired.moves.length, 3);
  t.deepEqual(repaired.moves[2]?.findings, findings);
});

/** The same episode, played by the mind alone. */
async function playedHere(): Promise<{ transcript: Transcript; files: unknown }> {
  const first = moment(good);
  const looked = done(await catalogue.decide(first), first);
  const [call] = looked.move.calls;
  if (call) call.result = 'no base model has been measured on "s1" yet: try again later';
  const second = { ...first, moves: [looked.move] };
  const wrote = done(await catalogue.decide(second), second);
  return { transcript: { mind: 'catalogue', policy: 0, moves: [looked.move, wrote.move] }, files: wrote.files };
}

test('an episode of a mind that is not there is told to the evaluator as failed', async (t) => {
  t.timeout(120_000);
  const house = await flatHouse(t, 'current');
  const bus = await house.bus('conductor');
  startAgent(t, house.server.url);
  await say(bus, episodeStart, { body: { ...start, mind: 'oracle' }, from: 'conductor' });
  await until('it failed', async () => (await said(bus, episodeFailed, 'evaluator')) !== undefined, 40);
  const failed = await said(bus, episodeFailed, 'evaluator');
  t.deepEqual(failed?.failure, {
    code: 'edge/refused',
    detail: 'there is no mind "oracle": known are catalogue, openai',
  });
  t.is(await said(bus, episodeFinish, 'evaluator'), undefined);
});
