// What can go wrong at an endpoint, as failures. A failure quotes where, which model, the status and the remedy, and
// never the key.
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { Failed } from '#kit/boundary';
import type { FailureCode } from '#protocol/failure';
import { withoutKey } from './access.ts';

export interface Place {
  readonly baseUrl: string;
  readonly model: string;
}

/** A failure of one request. */
export class Fault extends Failed {
  /** Whether the same request may succeed later. */
  readonly passing: boolean;
  /** HTTP status; undefined: there was no answer, or it broke off. */
  readonly status: number | undefined;
  /** What the endpoint asks to wait, milliseconds; undefined: it does not say. */
  readonly waitMs: number | undefined;

  constructor(code: FailureCode, detail: string, more: Partial<Pick<Fault, 'passing' | 'status' | 'waitMs'>> = {}) {
    super(code, withoutKey(detail));
    this.passing = more.passing ?? false;
    this.status = more.status;
    this.waitMs = more.waitMs;
  }
}

export const whereOf = ({ baseUrl, model }: Place): string => `model "${model}" at ${baseUrl}`;

/** What was said of it, cut: a proxy may answer with a page of HTML. */
const quoted = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

export function faultOf(error: unknown, place: Place): Fault {
  if (error instanceof Fault) return error;
  const where = whereOf(place);
  if (error instanceof APIConnectionError) return unreachable(where, error);
  if (error instanceof APIError) return answered(where, error);
  if (error instanceof SyntaxError)
    return unfit(place, `what it streams is not JSON: ${quoted(error.message)}`, { passing: true });
  const why = error instanceof Error ? error.message : String(error);
  return new Fault('mind/unreachable', `${where} broke off its answer: ${quoted(why)}`, { passing: true });
}

/** An answer that is not what was promised. */
export const unfit = (place: Place, what: string, more: { passing?: boolean } = {}): Fault =>
  new Fault('mind/unfit-answer', `${whereOf(place)}: ${what}`, more);

function unreachable(where: string, error: APIConnectionError): Fault {
  const { cause } = error;
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = inner instanceof Error && 'code' in inner ? ` (${String(inner.code)})` : '';
  const broken = /SOCKET|RESET|EPIPE/.test(code);
  const what =
    error instanceof APIConnectionTimeoutError
      ? 'did not answer in time'
      : `${broken ? 'broke off its answer' : 'cannot be reached'}${code}`;
  return new Fault('mind/unreachable', `${where} ${what}: is its server running, and is the address right?`, {
    passing: true,
  });
}

function answered(where: string, error: APIError): Fault {
  const { status, headers } = error;
  const said = `${where} answered ${status ?? 'with an error'}: ${quoted(error.message)}`;
  const more = { status, waitMs: waitOf(headers) };
  if (status === undefined || status >= 500 || status === 429 || status === 408 || status === 409)
    return new Fault('mind/busy', `${said}; it may have room later`, { ...more, passing: true });
  return new Fault('mind/refused', `${said}; ${remedyOf(status)}`, more);
}

function remedyOf(status: number): string {
  if (status === 401 || status === 403)
    return 'the agent needs the right key in UPLIFT_AGENT_MIND_KEY, or in the file that UPLIFT_AGENT_MIND_KEY_FILE names';
  if (status === 404) return 'the address ends in /v1 for most servers, and its /models lists the models';
  return 'the server does not take this request: its log may say more';
}

/** From Retry-After: seconds, or a date. */
function waitOf(headers: Headers | undefined): number | undefined {
  const text = headers?.get('retry-after');
  if (!text) return undefined;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/** Whether a request was refused because its prompt is too long; servers say so in different words. */
export const isTooLong = (fault: Fault): boolean =>
  (fault.status === 400 || fault.status === 413 || fault.status === 422) &&
  /context (length|size|window)|maximum (context|model) length|too (long|many tokens)|max_model_len|exceed.*tokens|reduce the length/i.test(
    fault.message,
  );
