import type { Failure } from '#protocol/failure';
import { type Message, seal } from '#protocol/message';
import type { Service } from '#protocol/roles';
import type { Call, Edge, Sent } from './actor.ts';
import { Failed, toFailure } from './boundary.ts';

/** Runs an edge until it returns, throws, takes too long or is told to stop. Null: it succeeded. */
export async function runEdge(edge: Edge, body: unknown, call: Call): Promise<Failure | null> {
  const overran = AbortSignal.timeout(edge.seconds * 1000);
  const signal = AbortSignal.any([call.signal, overran]);
  try {
    // an edge that ignores its signal is left running: whatever it sends later is dropped
    await Promise.race([edge.run(body, { ...call, signal }), rejectedBy(signal)]);
    return null;
  } catch (error) {
    if (call.signal.aborted || !overran.aborted) return toFailure(error);
    return { code: 'edge/overran', detail: `${edge.message.name} took more than ${edge.seconds} s` };
  }
}

const rejectedBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new Failed('edge/threw', 'told to stop'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });

/** A `send` that seals and collects what an edge sends. */
export const collect =
  (service: Service, sent: Sent[]) =>
  <B>(message: Message<B>, body: B): void => {
    for (const sealed of seal(message, body, service)) sent.push({ kind: 'message', sealed, due: null });
  };
