import { z } from 'zod';
import { actor } from '#kit/actor';
import type { Bus } from '#kit/bus';
import { pack, unpack } from '#kit/wire';
import { act, command, event, seal, token } from '#protocol/message';
import type { Service } from '#protocol/roles';
import { actOf, type Consumer, stateOf } from '#protocol/streams';

/**
 * A small route for tests of the kit: an agent keeps the numbers it is told, in order, and has each worked on at the
 * pod's edge; the conductor (many replicas) and the learner (single-active) keep what came of it.
 */
const body = { run: token, key: token, n: z.int() };
export const numberTold = command('number-told', { from: ['operator'], to: { agent: '{run}.{key}' }, body });
export const numberKept = event('number-kept', {
  from: ['agent'],
  to: { conductor: '{run}.{key}', learner: 'all.main' },
  body,
});
export const numberWork = act('number-work', { from: ['agent', 'operator'], to: { pod: '{run}.{key}' }, body });
export const numberWorked = event('number-worked', { from: ['pod'], to: { conductor: '{run}.worked' }, body });
export const numberFailed = event('number-failed', {
  from: ['pod'],
  to: { conductor: '{run}.failed' },
  body: { ...body, code: z.string(), detail: z.string() },
});

const kept = { numbers: z.array(z.int()) };
const keep = (state: { numbers: number[] }, { n }: { n: number }) => ({ numbers: [...state.numbers, n] });

/** Kills whoever handles it. */
export const deadly = -666;

export const agent = actor('agent', kept, { numbers: [] }).on(numberTold, (state, told, turn) => {
  if (told.n === deadly) process.kill(process.pid, 'SIGKILL');
  if (told.n < 0) throw new Error(`${told.n} is less than nothing`);
  turn.send(numberKept, told);
  return keep(state, told);
});

export const withWork = actor('agent', kept, { numbers: [] }).on(numberTold, (state, told, turn) => {
  turn.send(numberKept, told);
  turn.send(numberWork, told);
  return keep(state, told);
});

export const conductor = actor('conductor', kept, { numbers: [] })
  .on(numberKept, keep)
  .on(numberWorked, keep)
  .on(numberFailed, keep);

export const learner = actor('learner', kept, { numbers: [] }).on(numberKept, keep);

export const pod = actor('pod', {}, {}).edge(numberWork, async (told, call) => call.send(numberWorked, told), {
  failed: (told, failure, call) => call.send(numberFailed, { ...told, ...failure }),
  seconds: 30,
  slots: 4,
});

export const relayActs: Consumer[] = [actOf('pod', numberWork.name)];

/** Says a number, as the operator would; saying it again is the same as once. */
export async function tell(bus: Bus, key: string, n: number): Promise<void> {
  const common = { id: `told-${key}-${n}`, cause: null, due: null, failure: null };
  for (const { subject, schema, body } of seal(numberTold, { run: 'r1', key, n }, 'operator'))
    await bus.publish({ ...common, subject, schema, data: pack(body) });
}

/** The numbers that an instance has kept so far. */
export async function numbersOf(bus: Bus, service: Service, address: string): Promise<number[]> {
  const found = await bus.load(stateOf(service), address);
  const record = found ? (unpack(found.data) as { state: { numbers: number[] } }) : undefined;
  return record?.state.numbers ?? [];
}

/** Says to an instance of the learner what the agent would say to the only one. */
export async function tellLearner(bus: Bus, key: string, n: number): Promise<void> {
  const common = { id: `kept-${key}-${n}`, cause: null, due: null, failure: null, schema: 1 };
  const subject = `msg.learner.r1.${key}.agent.${numberKept.name}`;
  await bus.publish({ ...common, subject, data: pack({ run: 'r1', key, n }) });
}
