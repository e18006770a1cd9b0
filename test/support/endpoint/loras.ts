// Adapters of a running server: loading takes time, a name is loaded once, and files must be there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Refusal } from './strict.ts';

const loading = z.object({ lora_name: z.string().min(1), lora_path: z.string().min(1) });
const unloading = z.object({ lora_name: z.string().min(1) });

export class Loras {
  readonly #loaded = new Map<string, string>();
  readonly #queue = new Map<string, Promise<unknown>>();
  /** Every load and unload that succeeded, in order. */
  readonly history: string[] = [];
  loadMs = 5;

  list(): { id: string; root: string }[] {
    return [...this.#loaded].map(([id, root]) => ({ id, root }));
  }

  has(name: string): boolean {
    return this.#loaded.has(name);
  }

  /** As if the server had been started again. */
  forget(): void {
    this.#loaded.clear();
  }

  async load(body: unknown): Promise<string> {
    const read = loading.safeParse(body);
    if (!read.success) throw new Refusal(400, "both 'lora_name' and 'lora_path' must be given");
    const { lora_name: name, lora_path: path } = read.data;
    return await this.#inTurn(name, async () => {
      if (this.#loaded.has(name)) throw new Refusal(400, `the lora adapter '${name}' has already been loaded`);
      const config = join(path, 'adapter_config.json');
      if (!existsSync(config) || !existsSync(join(path, 'adapter_model.safetensors')))
        throw new Refusal(404, `no adapter found for '${path}'`);
      JSON.parse(readFileSync(config, 'utf8'));
      await sleep(this.loadMs);
      this.#loaded.set(name, path);
      this.history.push(`load ${name}`);
      return `Success: LoRA adapter '${name}' added successfully.`;
    });
  }

  async unload(body: unknown): Promise<string> {
    const { lora_name: name } = unloading.parse(body);
    return await this.#inTurn(name, async () => {
      if (!this.#loaded.delete(name)) throw new Refusal(404, `the lora adapter '${name}' cannot be found`);
      this.history.push(`unload ${name}`);
      return `Success: LoRA adapter '${name}' removed successfully.`;
    });
  }

  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queue.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#queue.set(name, mine);
    return await mine;
  }
}
