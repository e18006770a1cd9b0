import { type Failure, type FailureCode, failureCodes } from '#protocol/failure';

/** What an edge throws when it knows what went wrong. */
export class Failed extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** Anything thrown at an edge becomes a failure here, once. */
export const toFailure = (error: unknown): Failure =>
  error instanceof Failed
    ? { code: error.code, detail: error.message }
    : { code: 'edge/threw', detail: error instanceof Error ? (error.stack ?? error.message) : String(error) };

export const isRetryable = ({ code }: Failure): boolean => failureCodes[code].retryable;
