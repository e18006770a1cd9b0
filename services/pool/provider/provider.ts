/** A pod by name: a place, and the how-manieth process there. The name is the key of every request. */
export interface Incarnation {
  readonly pod: string;
  readonly generation: number;
}

/**
 * Who makes pods: a cloud, a cluster, this machine. Each request may be made again, after a crash or with its answer
 * lost, and then changes nothing. Rejects with `Failed` where the provider says no for good.
 */
export interface Provider {
  /** Resolves when the provider has taken the order; whether the pod is any good shows when it is warmed. */
  create(pod: Incarnation, signal: AbortSignal): Promise<void>;
  /** Resolves when nothing of the pod is left; so it does for one that never was. */
  delete(pod: Incarnation, signal: AbortSignal): Promise<void>;
  /** All pods of this pool, those that have ended but are not deleted included. Rejects where it cannot be sure of all. */
  list(signal: AbortSignal): Promise<readonly (Incarnation & { readonly running: boolean })[]>;
}
