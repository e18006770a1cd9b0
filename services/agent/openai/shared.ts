import { Failed } from '#kit/boundary';

/** What several episodes want at once is done once, for all of them. What failed is not remembered. */
export class Shared<T> {
  readonly #under = new Map<string, Promise<T>>();

  /** If whoever began it was told to stop, the next one who waits for it begins it again. */
  async get(name: string, make: () => Promise<T>): Promise<T> {
    for (;;) {
      const there = this.#under.get(name);
      if (!there) return await this.#begin(name, make);
      try {
        return await there;
      } catch (error) {
        if (error instanceof Failed) throw error;
      }
    }
  }

  async #begin(name: string, make: () => Promise<T>): Promise<T> {
    const begun = make();
    this.#under.set(name, begun);
    try {
      return await begun;
    } catch (error) {
      if (this.#under.get(name) === begun) this.#under.delete(name);
      throw error;
    }
  }

  forget(name: string): void {
    this.#under.delete(name);
  }

  clear(): void {
    this.#under.clear();
  }
}
