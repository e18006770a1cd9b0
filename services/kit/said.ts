import { parseSubject, type Subject } from '#protocol/message';
import type { Service } from '#protocol/roles';
import { isTraced, mailOf, type Stream, traceOf } from '#protocol/streams';
import type { Bus } from './bus.ts';
import type { Stored } from './wire.ts';

/** A message as it was stored, and who sent it to whom. */
export type Said = Pick<Stored, 'id' | 'cause' | 'at' | 'seq' | 'data'> & Subject;

interface Wanted {
  readonly run?: string;
  readonly key?: string;
  readonly name?: string;
  /** The sequence number to begin at. */
  readonly from?: number;
}

/** The stream in which a viewer reads what was sent to a service; for a service in EVAL it has headers only. */
const readOf = (service: Service): Stream => (isTraced(service) ? traceOf(service) : mailOf(service));

/** The messages sent to a service, oldest first; all of them unless something narrower is wanted. */
export async function* eachSaid(
  bus: Bus,
  to: Service,
  { run = '*', key = '*', name = '*', from: first = 1 }: Wanted,
): AsyncGenerator<Said> {
  const filter = `${isTraced(to) ? 'trace.' : ''}*.${to}.${run}.${key}.*.${name}`;
  for (let from = first; ; ) {
    const found = await bus.next(readOf(to), filter, from);
    if (!found) return;
    const { id, cause, at, seq, data } = found;
    const subject = parseSubject(found.subject.replace(/^trace\./, ''));
    if (subject) yield { id, cause, at, seq, data, ...subject };
    from = seq + 1;
  }
}

/**
 * A sequence number in a service's mail such that everything stored at `at` (ms since 1970) or later comes after it.
 */
export async function placeAt(bus: Bus, to: Service, at: number): Promise<number> {
  const isBefore = async (seq: number): Promise<boolean> => {
    const there = await bus.next(readOf(to), '>', seq);
    return there !== undefined && there.at < at;
  };
  let [low, high] = [1, 2];
  while (await isBefore(high)) [low, high] = [high, high * 2];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isBefore(middle)) low = middle;
    else high = middle;
  }
  return low;
}
