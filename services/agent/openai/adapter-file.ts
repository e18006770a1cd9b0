// A policy as files that a server of language models reads: weights, and a description of the adapter.
import { createHash } from 'node:crypto';
import { access, chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Failed } from '#kit/boundary';
import { metadataOf } from '#runtime/micro/safetensors';

/** `run`-v`version`-`hash`: the same policy always has the same name, and another never has it. */
export const adapterName = (run: string, version: number, bytes: Uint8Array): string =>
  `${run}-v${version}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`;

const description = z.record(z.string(), z.unknown());

/**
 * Writes the files of an adapter once, whoever else writes them at the same time; returns their folder. Its bytes are a
 * safetensors file whose metadata has `adapter_config`, the text of PEFT's adapter_config.json.
 */
export async function writeAdapter(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  const place = join(folder, name);
  const config = configOf(name, bytes);
  try {
    await access(join(place, 'adapter_config.json'));
    return place;
  } catch {
    // not there yet
  }
  try {
    await mkdir(folder, { recursive: true });
    const making = await mkdtemp(join(folder, `.${name}-`));
    await writeFile(join(making, 'adapter_model.safetensors'), bytes);
    await writeFile(join(making, 'adapter_config.json'), config);
    await chmod(making, 0o755); // the server that reads it may be another user
    await moveInto(making, place);
    return place;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Failed('mind/adapter', `the adapter ${name} cannot be written into ${folder}: ${why}`);
  }
}

/** Whoever comes second leaves the first one's files as they are: they are the same. */
async function moveInto(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const there = error instanceof Error && 'code' in error && ['EEXIST', 'ENOTEMPTY'].includes(String(error.code));
    if (!there) throw error;
    await rm(from, { recursive: true });
  }
}

function configOf(name: string, bytes: Uint8Array): string {
  const wrong = (what: string): Failed =>
    new Failed(
      'mind/adapter',
      `policy ${name} is no adapter: ${what}. It must be a safetensors file with adapter_config`,
    );
  try {
    const text = metadataOf(bytes).adapter_config;
    if (text === undefined) throw wrong('its metadata has no adapter_config');
    if (!description.safeParse(JSON.parse(text)).success) throw wrong('its adapter_config is no JSON object');
    return text;
  } catch (error) {
    if (error instanceof Failed) throw error;
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}
