/** The name of a pod: a place, and a count of the processes there. It makes every request idempotent. */
export interface Incarnation {
  readonly pod: string;
  readonly generation: number;
}

/**
 * What creates pods: a cloud, a cluster, this machine. A request may be repeated, after a crash or if its answer was
 * lost, and then changes nothing. Rejects with `Failed` if the provider refuses for good. `registry.ts` has a line for
 * each.
 */
export interface Provider {
  /** Resolves when the provider has accepted the order; warming shows whether the pod works. */
  create(pod: Incarnation, signal: AbortSignal): Promise<void>;
  /** Resolves when nothing of the pod is left, also if it never existed. */
  delete(pod: Incarnation, signal: AbortSignal): Promise<void>;
  /**
   * All pods of this pool, including those that have ended but are not deleted. Rejects if the list may be incomplete.
   */
  list(signal: AbortSignal): Promise<readonly (Incarnation & { readonly running: boolean })[]>;
}
