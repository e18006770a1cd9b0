import { createInbox, type Msg, type MsgHdrs, type NatsConnection, NatsError } from 'nats';

interface Waiting {
  readonly subject: string;
  readonly deadline: number;
  resolve(answer: Msg): void;
  reject(error: Error): void;
}

/** How long one request waits for its answer; then its caller asks again. */
const timeoutMs = 2_000;
const sweepMs = 100;

/**
 * Requests over one subscription. The client's own `request` creates a timer and an Error with its stack for each call,
 * which costs as much as the rest of a turn; here a call is an entry in a map, and one timer rejects those that got no
 * answer.
 */
export class Replies {
  readonly #nc: NatsConnection;
  readonly #inbox: string;
  /** In the order of their deadlines, because all wait equally long. */
  readonly #waiting = new Map<string, Waiting>();
  #asked = 0;

  constructor(nc: NatsConnection, inboxPrefix: string) {
    this.#nc = nc;
    this.#inbox = createInbox(inboxPrefix);
    nc.subscribe(`${this.#inbox}.*`, { callback: (_, answer) => this.#arrived(answer) });
    const sweep = setInterval(() => this.#sweep(), sweepMs).unref();
    void nc.closed().then(() => {
      clearInterval(sweep);
      this.#rejectAll((subject) => new NatsError(`closed while waiting for ${subject}`, 'CONNECTION_CLOSED'));
    });
    void this.#watchRefusals();
  }

  /** Rejects with `TIMEOUT`, `503` (nobody serves the subject), `PERMISSIONS_VIOLATION` or what the client throws. */
  ask(subject: string, data: Uint8Array | string, headers?: MsgHdrs): Promise<Msg> {
    const token = (this.#asked++).toString(36);
    return new Promise((resolve, reject) => {
      this.#nc.publish(subject, data, { reply: `${this.#inbox}.${token}`, ...(headers ? { headers } : {}) });
      this.#waiting.set(token, { subject, deadline: performance.now() + timeoutMs, resolve, reject });
    });
  }

  #arrived(answer: Msg): void {
    const token = answer.subject.slice(this.#inbox.length + 1);
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    if (answer.data.length === 0 && answer.headers?.code === 503)
      waiting?.reject(new NatsError(`nobody serves ${waiting.subject}`, '503'));
    else waiting?.resolve(answer);
  }

  #sweep(): void {
    const now = performance.now();
    for (const [token, { subject, deadline, reject }] of this.#waiting) {
      if (deadline > now) return;
      this.#waiting.delete(token);
      reject(new NatsError(`no answer from ${subject} in ${timeoutMs} ms`, 'TIMEOUT'));
    }
  }

  /** The server reports a publish that it did not allow, but not as an answer to it. */
  async #watchRefusals(): Promise<void> {
    for await (const { data, permissionContext } of this.#nc.status())
      if (data === 'PERMISSIONS_VIOLATION' && permissionContext)
        this.#rejectAll(
          (subject) => new NatsError(`not allowed to publish to ${subject}`, 'PERMISSIONS_VIOLATION'),
          permissionContext.subject,
        );
  }

  #rejectAll(why: (subject: string) => Error, only?: string): void {
    for (const [token, { subject, reject }] of this.#waiting) {
      if (only !== undefined && subject !== only) continue;
      this.#waiting.delete(token);
      reject(why(subject));
    }
  }
}
