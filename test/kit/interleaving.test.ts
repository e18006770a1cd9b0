// The property of the turn: any interleaving of deliveries, duplicates, failures and crashes of several processes comes
// to the same as one process that handles everything once, in order.
import { AssertionError, deepEqual } from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { JetStreamManager } from 'nats';
import { z } from 'zod';
import { actor } from '#kit/actor';
import type { Bus } from '#kit/bus';
import { toHeaders } from '#kit/nats';
import type { Held } from '#kit/records';
import { pack, unpack } from '#kit/wire';
import { command, event, seal, token } from '#protocol/message';
import { mailOf, stateOf, turnsOf } from '#protocol/streams';
import { provision } from '../../deploy/nats/provision.ts';
import { either, flatHouse, type Which } from '../support/house.ts';
import { numbersOf } from '../support/relay.ts';
import { soak } from '../support/soak.ts';
import { actions, type Choice, type Deps, type Numbers, SteppedHouse } from '../support/stepped.ts';

const body = { run: token, key: token, n: z.int() };
const told = command('told', { from: ['operator'], to: { agent: '{run}.{key}' }, body });
const kept = event('kept', { from: ['agent'], to: { conductor: '{run}.{key}' }, body });

/** Keeps each number and tells of it twice: as 2n, then as 2n + 1. */
const twice = (n: number): number[] => [2 * n, 2 * n + 1];
const keeper = actor('agent', { numbers: z.array(z.int()) }, { numbers: [] }).on(
  told,
  (state, { n, ...rest }, turn) => {
    for (const m of twice(n)) turn.send(kept, { ...rest, n: m });
    return { numbers: [...state.numbers, n] };
  },
);

/** The next number of a key (`back` 0), or one that was said `back` numbers ago and is now stored again. */
interface Said {
  readonly key: number;
  readonly back: number;
}
const back = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
);
const story: fc.Arbitrary<Said[]> = fc.array(fc.record({ key: fc.nat(1), back }), {
  minLength: 1,
  maxLength: 10,
  size: 'max',
});

const weights = { pull: 8, step: 24, fail: 1, expire: 6, crash: 1 };
const choice: fc.Arbitrary<Choice> = fc.record({
  action: fc.oneof(...actions.map((action) => ({ weight: weights[action], arbitrary: fc.constant(action) }))),
  process: fc.nat(2),
  which: fc.nat(),
});
const schedule = fc.array(choice, { maxLength: 240, size: 'max' });

interface Stage {
  readonly operator: Bus;
  readonly processes: readonly Bus[];
  readonly jsm: JetStreamManager;
  readonly url: string;
  runs: number;
}

/** Two messages of one id are either stored when a moment lies between them. */
const forgetful = (service: 'agent' | 'conductor') => ({ ...mailOf(service), duplicateWindowSeconds: 0.1 });

async function stageOf(t: ExecutionContext, which: Which): Promise<Stage> {
  t.timeout(soak ? 1_800_000 : 100_000);
  const house = await flatHouse(t, which);
  const { url } = house.server;
  await provision({ url, role: 'core' }, { streams: [forgetful('agent'), forgetful('conductor')], consumers: [] });
  const operator = await house.bus('operator');
  const processes = await Promise.all([1, 2, 3].map(() => house.bus('agent')));
  return { operator, processes, jsm: await operator.nc.jetstreamManager(), url, runs: 0 };
}

/** No mail, and a consumer that has handed out nothing. */
async function cleared({ jsm, url }: Stage): Promise<void> {
  const { stream, name } = turnsOf('agent');
  await jsm.consumers.delete(stream.name, name);
  await jsm.streams.purge(stream.name);
  await provision({ url, role: 'core' }, { streams: [], consumers: [turnsOf('agent')] });
}

/** Publishes until it is stored. */
async function store({ nc }: Bus, n: number, { run, key }: { run: string; key: string }): Promise<void> {
  const id = `${run}-${key}-${n}`;
  const common = { id, cause: null, due: null, failure: null };
  for (const { subject, schema, body: said } of seal(told, { run, key, n }, 'operator')) {
    const data = pack(said);
    const publish = () =>
      nc.jetstream().publish(subject, data, { msgID: id, headers: toHeaders({ ...common, subject, schema, data }) });
    while ((await publish()).duplicate) await sleep(20);
  }
}

type ByKey = Record<string, number[]>;

async function tell({ operator }: Stage, run: string, story: readonly Said[]): Promise<ByKey> {
  const numbers: ByKey = {};
  for (const said of story) {
    const key = `k${said.key}`;
    const before = numbers[key] ?? [];
    const n = said.back > 0 && before.length > 0 ? Math.max(0, before.length - said.back) : before.length;
    if (n === before.length) numbers[key] = [...before, n];
    await store(operator, n, { run, key });
  }
  return numbers;
}

/** What the conductor hears: each id once. */
async function heard({ operator }: Stage, run: string): Promise<ByKey> {
  const numbers: ByKey = {};
  const seen = new Set<string>();
  for (let from = 1; ; ) {
    const found = await operator.next(mailOf('conductor'), `msg.conductor.${run}.>`, from);
    if (!found) return numbers;
    const { key, n } = z.strictObject(body).parse(unpack(found.data));
    if (!seen.has(found.id)) numbers[key] = [...(numbers[key] ?? []), n];
    seen.add(found.id);
    from = found.seq + 1;
  }
}

const sound = (deps: Deps): Deps => deps;

const inOrder = (stage: Stage, sabotage = sound) =>
  fc.asyncProperty(story, schedule, async (said, choices) => {
    const run = `run${stage.runs++}`;
    await cleared(stage);
    const numbers = await tell(stage, run, said);
    const house = await SteppedHouse.start(stage.processes, { actor: keeper, sabotage, jsm: stage.jsm });
    for (const one of choices) await house.act(one);
    await house.finish();
    for (const [key, expected] of Object.entries(numbers)) {
      deepEqual(await numbersOf(stage.operator, 'agent', `${run}.${key}`), expected);
      numbers[key] = expected.flatMap(twice);
    }
    deepEqual(await heard(stage, run), numbers);
  });

for (const which of either('oldest'))
  test.serial(`${which} server: any interleaving of several processes comes to what one does in order`, async (t) => {
    const stage = await stageOf(t, which);
    await fc.assert(inOrder(stage), { seed: 20, numRuns: 20 });
    const seed = randomInt(2 ** 31);
    t.log(`random seed ${seed}`);
    await fc.assert(inOrder(stage), { seed, numRuns: soak ? 3_000 : 10 });
    t.pass();
  });

const sabotages: Record<string, (deps: Deps) => Deps> = {
  'nobody looks for what is earlier': (deps) => {
    deps.doubt.lookFrom = () => null;
    return deps;
  },
  'records are written over': ({ records, ...deps }) => {
    const save = records.save.bind(records);
    records.save = async (address, held, next) => {
      const there = await deps.bus.load(stateOf('agent'), address);
      return await save(address, { ...held, revision: there?.revision ?? 0 }, next);
    };
    return { ...deps, records };
  },
  'every outbox is taken to be out': (deps) => altered(deps, (held) => Object.assign(held, { sent: true })),
  'handled ids are forgotten': (deps) => altered(deps, (held) => Object.assign(held, { handled: '' })),
};

function altered({ records, ...deps }: Deps, alter: (held: Held<Numbers>) => Held<Numbers>): Deps {
  const get = records.get.bind(records);
  records.get = async (address) => alter(await get(address));
  return { ...deps, records };
}

test.serial('it does not when any of the rules is broken', async (t) => {
  const stage = await stageOf(t, 'current');
  for (const [what, sabotage] of Object.entries(sabotages)) {
    const once = { seed: 12, numRuns: 300, endOnFailure: true };
    const { failed, errorInstance, numRuns } = await fc.check(inOrder(stage, sabotage), once);
    t.true(failed, what);
    t.true(errorInstance instanceof AssertionError, `${what}: ${errorInstance}`);
    t.log(`${what}: seen in run ${numRuns}`);
  }
});
