/** Runs tasks one at a time for each key, in the order of arrival; different keys run side by side. */
export class Mailbox {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const tail = (this.#tails.get(key) ?? Promise.resolve()).then(task, task);
    this.#tails.set(key, tail);
    const forget = (): void => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    };
    tail.then(forget, forget);
    return tail;
  }

  /** The number of keys with a task that has not ended. */
  get size(): number {
    return this.#tails.size;
  }

  /** Resolves when every task given so far has ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#tails.values());
  }
}
