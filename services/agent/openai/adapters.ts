// Which model answers for a policy version: the base model, or the adapter of exactly that version. An adapter is loaded
// by whichever process needs it first; its name says what it is, so it does not matter who loaded it.
import { Failed } from '#kit/boundary';
import type { Endpoint } from '#protocol/mind';
import type { Moment } from '../mind.ts';
import { access } from './access.ts';
import { adapterName, writeAdapter } from './adapter-file.ts';
import { adapterRequest, modelsAt, type Served } from './client.ts';
import { Fault } from './fault.ts';
import type { Patience } from './patience.ts';
import { Shared } from './shared.ts';

/** The newest versions of a run stay loaded; an older one that is needed once more is loaded again. */
export const keptLoaded = 4;

interface Wanted extends Pick<Moment, 'episode' | 'version' | 'policy'> {
  readonly endpoint: Endpoint;
  readonly patience: Patience;
}
interface Adapter {
  readonly name: string;
  readonly folder: string;
}
/** Policies that this process has fetched; null: it has no bytes, which is the model as it is. */
const fetched = new Shared<Adapter | null>();
/** Adapters that this process knows to be loaded, by endpoint and name. */
const loaded = new Shared<void>();
/** Number of answers that an adapter is giving at this moment. */
const busy = new Map<string, number>();

export function forgetAdapters(): void {
  fetched.clear();
  loaded.clear();
}

const runOf = (episode: string): string => episode.slice(0, episode.indexOf('.'));

/**
 * Asks with the name of the model that this version is. If it turns out not to be loaded any more (the server was
 * started again, or another process needed the room), it is loaded once more.
 */
export async function asVersion<T>(wanted: Wanted, ask: (model: string, exact: boolean) => Promise<T>): Promise<T> {
  const adapter = await adapterOf(wanted);
  if (adapter === null) return await ask(wanted.endpoint.model, false);
  const { name } = adapter;
  busy.set(name, (busy.get(name) ?? 0) + 1);
  try {
    await load(wanted, adapter);
    try {
      return await ask(name, true);
    } catch (error) {
      if (!(error instanceof Fault && error.status === 404)) throw error;
      loaded.forget(keyOf(wanted.endpoint, name));
      await load(wanted, adapter);
      return await ask(name, true);
    }
  } finally {
    const left = (busy.get(name) ?? 1) - 1;
    if (left > 0) busy.set(name, left);
    else busy.delete(name);
  }
}

const adapterOf = ({ episode, version, policy }: Wanted): Promise<Adapter | null> =>
  fetched.get(`${runOf(episode)}.${version}`, async () => {
    const bytes = await policy();
    return bytes.length === 0 ? null : await written(runOf(episode), version, bytes);
  });

async function written(run: string, version: number, bytes: Uint8Array): Promise<Adapter> {
  const { adapterFolder } = access();
  const name = adapterName(run, version, bytes);
  if (adapterFolder !== undefined) return { name, folder: await writeAdapter(adapterFolder, name, bytes) };
  throw new Failed(
    'mind/adapter',
    `version ${version} of the policy is an adapter, but the agent has no folder for it: set UPLIFT_AGENT_ADAPTER_FOLDER ` +
      'to one that the server of the endpoint reads too',
  );
}

const keyOf = ({ baseUrl }: Endpoint, name: string): string => `${baseUrl} ${name}`;

const load = (wanted: Wanted, adapter: Adapter): Promise<void> =>
  loaded.get(keyOf(wanted.endpoint, adapter.name), () => makeLoaded(wanted, adapter));

async function makeLoaded({ endpoint, patience, episode }: Wanted, adapter: Adapter): Promise<void> {
  const { name, folder } = adapter;
  const place = { ...endpoint, model: name };
  const served = () => patience.ask(place, (attempt) => modelsAt(place, attempt));
  if (!isServed(await served(), adapter)) {
    const body = { lora_name: name, lora_path: folder };
    try {
      await patience.ask(place, (attempt) => adapterRequest(place, { path: '/load_lora_adapter', body }, attempt));
    } catch (error) {
      // another process may have been first; what is served decides
      if (!isServed(await served(), adapter)) throw notLoaded(error, adapter, endpoint);
    }
  }
  const models = await served();
  if (!isServed(models, adapter)) throw notLoaded('it is not in /models', adapter, endpoint);
  await unloadOld({ models, run: runOf(episode), endpoint, patience });
}

const isServed = (models: readonly Served[], { name, folder }: Adapter): boolean =>
  models.some(({ id, root }) => id === name && (root ?? folder) === folder);

function notLoaded(error: unknown, { name, folder }: Adapter, { baseUrl }: Endpoint): Failed {
  const passing = error instanceof Fault && error.passing;
  if (passing) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new Failed(
    'mind/adapter',
    `${baseUrl} does not serve the adapter ${name} from ${folder}: ${why}. vLLM needs --enable-lora, ` +
      'VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, a --max-lora-rank that is large enough, and the same folder',
  );
}

interface Loaded extends Pick<Wanted, 'endpoint' | 'patience'> {
  readonly models: readonly Served[];
  readonly run: string;
}

/** Best effort: a server that keeps too many only uses more memory. */
async function unloadOld({ models, run, endpoint, patience }: Loaded): Promise<void> {
  const old = models
    .flatMap(({ id }) => (versionOf(id, run) === null ? [] : [{ id, version: versionOf(id, run) ?? 0 }]))
    .toSorted((one, other) => other.version - one.version)
    .slice(keptLoaded)
    .filter(({ id }) => !busy.get(id));
  for (const { id } of old) {
    loaded.forget(keyOf(endpoint, id));
    const place = { ...endpoint, model: id };
    const unload = { path: '/unload_lora_adapter', body: { lora_name: id } } as const;
    await patience.ask(place, (attempt) => adapterRequest(place, unload, attempt)).catch(() => undefined);
  }
}

function versionOf(name: string, run: string): number | null {
  if (!name.startsWith(`${run}-v`)) return null;
  const [, version] = /^(\d+)-[0-9a-f]{12}$/.exec(name.slice(run.length + 2)) ?? [];
  return version === undefined ? null : Number(version);
}
