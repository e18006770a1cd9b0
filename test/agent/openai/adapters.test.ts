// Policy versions: the adapter of the version that an episode is stamped with is the one that answers it.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Failed } from '#kit/boundary';
import type { FailureCode } from '#protocol/failure';
import type { Moment } from '../../../services/agent/mind.ts';
import { forgetAdapters, keptLoaded } from '../../../services/agent/openai/adapters.ts';
import { openai } from '../../../services/agent/openai/mind.ts';
import { type Endpoint, type Options, startEndpoint } from '../../support/endpoint/server.ts';
import { afresh, at, call } from './play.ts';

/** A safetensors file without tensors, whose metadata describes an adapter. */
function policyFile(about: Record<string, unknown>, metadata?: unknown): Uint8Array {
  const json = Buffer.from(JSON.stringify({ __metadata__: metadata ?? { adapter_config: JSON.stringify(about) } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json]);
}
const policyOf = (version: number): Uint8Array => policyFile({ r: 8, lora_alpha: 16, version });

function folderFor(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'uplift-adapters-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Its model says the name that it was asked under. */
const server = (t: ExecutionContext, more: Partial<Options> = {}): Promise<Endpoint> =>
  startEndpoint(t, { script: ({ model }) => ({ text: model, calls: [call('list_files')] }), ...more });

const stamped = (there: Endpoint, version: number, more: Partial<Moment> = {}): Moment =>
  at(there, { version, policy: async () => policyOf(version), ...more });

const failing = async (t: ExecutionContext, asked: Promise<unknown>, code: FailureCode): Promise<string> => {
  const error = await t.throwsAsync(asked);
  t.true(error instanceof Failed && error.code === code, String(error));
  return error?.message ?? '';
};

test.serial(
  'a policy of no bytes is the model as it is; any other is loaded, named by run, version and bytes',
  async (t) => {
    const adapterFolder = folderFor(t);
    afresh({ adapterFolder });
    const there = await server(t);
    t.is((await openai.decide(at(there))).model, there.model);
    t.deepEqual(readdirSync(adapterFolder), []);
    const { model, text } = await openai.decide(stamped(there, 3));
    t.regex(model ?? '', /^r1-v3-[0-9a-f]{12}$/);
    t.is(text, model ?? '');
    const files = join(adapterFolder, model ?? '');
    t.deepEqual(JSON.parse(readFileSync(join(files, 'adapter_config.json'), 'utf8')), {
      r: 8,
      lora_alpha: 16,
      version: 3,
    });
    t.deepEqual(readFileSync(join(files, 'adapter_model.safetensors')), Buffer.from(policyOf(3)));
    t.deepEqual(there.loras.history, [`load ${model}`]);
  },
);

test.serial('many episodes of several versions at once are each answered by their own, each loaded once', async (t) => {
  afresh({ adapterFolder: folderFor(t) });
  const there = await server(t, { mishap: () => ({ firstTokenMs: 200 }) });
  const moments = Array.from({ length: 60 }, (_, n) => stamped(there, n % keptLoaded, { episode: `r1.e${n}` }));
  const models = (await Promise.all(moments.map((one) => openai.decide(one)))).map(({ model }) => model ?? '');
  for (const [n, model] of models.entries()) t.true(model.startsWith(`r1-v${n % keptLoaded}-`), model);
  t.is(there.loras.history.length, keptLoaded);
  t.true(there.atOnce() > 20);
});

test.serial('processes that load the same version at the same time do not disturb each other', async (t) => {
  const adapterFolder = folderFor(t);
  afresh({ adapterFolder });
  const there = await server(t);
  there.loras.loadMs = 100;
  const asked = Array.from({ length: 4 }, (_, n) => {
    forgetAdapters(); // as another process, which knows nothing of the others
    return openai.decide(stamped(there, 5, { episode: `r1.e${n}` }));
  });
  const models = new Set((await Promise.all(asked)).map(({ model }) => model));
  t.is(models.size, 1);
  t.is(there.loras.history.length, 1);
  t.is(readdirSync(adapterFolder).length, 1, 'no half-written folder is left');
});

test.serial(
  'old versions are unloaded, the newest few stay, and one that is needed again is loaded again',
  async (t) => {
    afresh({ adapterFolder: folderFor(t) });
    const there = await server(t);
    for (let version = 1; version <= keptLoaded + 3; version += 1) await openai.decide(stamped(there, version));
    const versions = () => there.loras.list().map(({ id }) => Number(/-v(\d+)-/.exec(id)?.[1]));
    t.deepEqual(versions(), [4, 5, 6, 7]);
    t.regex((await openai.decide(stamped(there, 1))).model ?? '', /^r1-v1-/);
    // another run's adapters are none of its business
    await openai.decide(stamped(there, 1, { episode: 'r2.e1' }));
    t.true(there.loras.list().some(({ id }) => id.startsWith('r1-v7-')));
  },
);

test.serial('a server that was started again is given the adapter again, in the same move', async (t) => {
  afresh({ adapterFolder: folderFor(t) });
  const there = await server(t);
  await openai.decide(stamped(there, 2));
  there.loras.forget();
  t.regex((await openai.decide(stamped(there, 2, { episode: 'r1.e9' }))).model ?? '', /^r1-v2-/);
  t.is(there.loras.history.length, 2);
});

test.serial('an answer by another version than the stamped one is no answer', async (t) => {
  afresh({ adapterFolder: folderFor(t) });
  const there = await server(t, { mishap: ({ model }) => ({ otherModel: model.replace('-v2-', '-v3-') }) });
  t.regex(await failing(t, openai.decide(stamped(there, 2)), 'mind/unfit-answer'), /"r1-v2-.*" was asked, but "r1-v3-/);
});

test.serial('a version that cannot be loaded is a failure that says what is missing', async (t) => {
  const there = await server(t, { lora: false });
  afresh();
  const noFolder = await failing(t, openai.decide(stamped(there, 2)), 'mind/adapter');
  t.regex(noFolder, /version 2 .* no folder for it: set UPLIFT_AGENT_ADAPTER_FOLDER/);
  const adapterFolder = folderFor(t);
  afresh({ adapterFolder });
  const noLora = await failing(t, openai.decide(stamped(there, 2)), 'mind/adapter');
  t.regex(noLora, /does not serve the adapter r1-v2-.*answered 404.*VLLM_ALLOW_RUNTIME_LORA_UPDATING/s);
  const wrong: [Uint8Array, RegExp][] = [
    [Buffer.from('{"version":0,"weights":{}}'), /is no adapter: a header of/],
    [policyFile({}, {}), /its metadata has no adapter_config/],
    [policyFile({}, { adapter_config: '[]' }), /adapter_config is no JSON object/],
    [policyFile({}, { adapter_config: '{' }), /is no adapter/],
  ];
  for (const [n, [bytes, says]] of wrong.entries())
    t.regex(
      await failing(t, openai.decide(stamped(there, 50 + n, { policy: async () => bytes })), 'mind/adapter'),
      says,
    );
  writeFileSync(join(adapterFolder, 'file'), '');
  afresh({ adapterFolder: join(adapterFolder, 'file') });
  t.regex(await failing(t, openai.decide(stamped(there, 2)), 'mind/adapter'), /cannot be written into/);
  t.false(existsSync(join(adapterFolder, 'r1-v50')));
});
