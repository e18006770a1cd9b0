import { type Failure, type FailureCode, failureCodes } from '#protocol/failure';

/** What an edge throws when it knows what went wrong. */
export class Failed extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

export const tooLarge = (what: string, bytes: number, most: number): Failed =>
  new Failed('bus/too-large', `${what}: ${bytes} bytes, but at most ${most} are allowed`);

/**
 * The detail of a failure may quote what others wrote, and travels in headers and logs: a long one keeps its beginning.
 */
const longest = 2_000;
export const brief = (detail: string): string => (detail.length > longest ? `${detail.slice(0, longest)}…` : detail);
export const failureOf = (code: FailureCode, detail: string): Failure => ({ code, detail: brief(detail) });

/** Turns anything that an edge throws into a failure. */
export const toFailure = (error: unknown): Failure =>
  error instanceof Failed
    ? failureOf(error.code, error.message)
    : failureOf('edge/threw', error instanceof Error ? (error.stack ?? error.message) : String(error));

export const isRetryable = ({ code }: Failure): boolean => failureCodes[code].retryable;
