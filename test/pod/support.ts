import { createHash } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { blobs } from '#kit/blobs';
import type { Bus } from '#kit/bus';
import { serve } from '#kit/serve';
import { pack, unpack } from '#kit/wire';
import { type Job, jobRun, type Lease } from '#protocol/job';
import { type Message, seal } from '#protocol/message';
import type { Role, Service } from '#protocol/roles';
import { mailOf } from '#protocol/streams';
import type { Train } from '#protocol/workspace';
import { podOf } from '../../services/pod/actor.ts';
import { good } from '../environment/support.ts';
import type { House } from '../support/house.ts';

/** Two small steps, unless something else is said. */
export const trainToml = (knobs: Partial<Train> = {}): string =>
  Object.entries({ steps: 2, groups_per_step: 2, group_size: 4, max_tokens: 6, seed: 3, ...knobs })
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n');

export const filesOf = (environment = good, knobs: Partial<Train> = {}): Record<string, string> => ({
  'task.json': '{"runtime":"micro","baseModel":"micro-s","spec":"s1"}',
  'train.toml': trainToml(knobs),
  'environment.js': environment,
});

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const jobNamed = (job: string, more: Partial<Job> = {}): Job => ({
  ...{ run: 'r1', episode: 'e1', group: 'g1', purpose: 'training', spec: 's1', policy: 0, formula: 'reference' },
  ...{
    job,
    experiment: null,
    workspace: hashOf(Buffer.from(job)),
    runtime: 'micro',
    baseModel: 'micro-s',
    seconds: 60,
  },
  ...more,
});

export async function tell<B>(bus: Bus, message: Message<B>, { body, from }: { body: B; from: Role }): Promise<void> {
  for (const { subject, schema, body: sealed } of seal(message, body, from)) {
    const id = `${subject}-${hashOf(pack(sealed))}`;
    await bus.publish({ subject, id, cause: null, schema, due: null, failure: null, data: pack(sealed) });
  }
}

/** Everything of one kind that was ever said to a service. */
export async function heardBy<B>(bus: Bus, service: Service, message: Message<B>): Promise<B[]> {
  const lane = message.kind === 'act' ? 'act' : 'msg';
  const heard: B[] = [];
  for (let from = 1; ; ) {
    const found = await bus.next(mailOf(service), `${lane}.${service}.*.*.*.${message.name}`, from);
    if (!found) return heard;
    heard.push(message.body.parse(unpack(found.data)));
    from = found.seq + 1;
  }
}

/** Stores the files of a job and asks a pod to train it. */
export async function ask(bus: Bus, files: Record<string, string>, more: Partial<Job & Lease> & { job: string }) {
  const workspace = await blobs(bus).put('workspace', Buffer.from(JSON.stringify(files)));
  const lease = { pod: 'p1', generation: 1, token: 1 };
  const { pod, generation, token, ...job } = { ...lease, ...more };
  await tell(bus, jobRun, {
    body: { ...jobNamed(job.job, { ...job, workspace }), pod, generation, token },
    from: 'pool',
  });
}

/** A pod of this process, until the test ends or `stop` is called. */
export async function servePod(t: Pick<ExecutionContext, 'teardown'>, house: House, generation = 1) {
  const bus = await house.bus('pod');
  const end = new AbortController();
  const place = 'p1';
  const served = serve(bus, podOf({ generation }), { signal: end.signal, drainSeconds: 0, place });
  const stop = async (): Promise<void> => {
    end.abort();
    await served;
  };
  t.teardown(stop);
  return { bus, stop };
}
