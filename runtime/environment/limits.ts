/** What an environment may take. A call is one of prompts or rewards, or the run of the script itself. */
export interface Limits {
  /**
   * Work of one call, in units of 10,000 loop turns or function calls. Counted, not timed, so the verdict on a script
   * does not depend on how busy the machine is.
   */
  readonly fuel: number;
  /** For what cannot be counted, such as one built-in on an array of length 2^32: wall time of one call. */
  readonly milliseconds: number;
  /** All memory of the script, the interpreter's own 16 MiB included; rounded up to pages of 64 KiB. */
  readonly memoryBytes: number;
  readonly sourceBytes: number;
  /** Characters of one prompt. */
  readonly promptLength: number;
}

export const defaultLimits: Limits = {
  fuel: 2_000,
  milliseconds: 10_000,
  memoryBytes: 64 * 2 ** 20,
  sourceBytes: 64 * 2 ** 10,
  promptLength: 63,
};

/** Characters that all texts given to one call may have together, and prompts that may be asked for at once. */
export const mostCharacters = 2 ** 20;
export const mostPrompts = 4_096;
/** Nested calls fit in this much of the interpreter's stack; a thread of `threadStackMb` can hold it natively. */
export const stackBytes = 256 * 2 ** 10;
export const threadStackMb = 16;
